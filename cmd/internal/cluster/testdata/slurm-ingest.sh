# sbatch --parsable
#!/bin/bash
#SBATCH --job-name=hdseg-a1b9e962-ingest
#SBATCH --array=0-5
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="/shared/run of mine/.work/run/logs/ingest-%A-%a.log"
#SBATCH --partition=cpu
#SBATCH --time=1:00:00
export HDSEG_LOG='/shared/run of mine/.work/run/logs'/ingest-${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}-$SLURM_ARRAY_TASK_ID.log
exec '/opt/hdseg' 'task' 'ingest' '--store' '/shared/run of mine' '-j' '2' '--progress' 'text' '--shard' '6'
