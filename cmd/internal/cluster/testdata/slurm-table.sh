# sbatch --parsable --kill-on-invalid-dep=yes --dependency=afterok:AFTER
#!/bin/bash
#SBATCH --job-name=hdseg-a1b9e962-table
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="/shared/run of mine/.work/run/logs/table-%A.log"
#SBATCH --partition=cpu
#SBATCH --time=1:00:00
export HDSEG_LOG='/shared/run of mine/.work/run/logs'/table-${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}.log
exec '/opt/hdseg' 'task' 'table' '--store' '/shared/run of mine' '-j' '2' '--progress' 'text'
