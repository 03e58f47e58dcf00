# Prints a shard as pyarrow sees it, by memory map: one line of JSON for the schema's metadata, one for each image.
# usage: read.py SHARD.arrow
import json
import sys
import pyarrow
with pyarrow.memory_map(sys.argv[1]) as source:
    reader = pyarrow.ipc.open_file(source)
    print(json.dumps({k.decode(): v.decode() for k, v in reader.schema.metadata.items()}))
    for i in range(reader.num_record_batches):
        batch = reader.get_batch(i)
        batch.validate(full=True)
        for row in batch.to_pylist():
            print(json.dumps(row))
