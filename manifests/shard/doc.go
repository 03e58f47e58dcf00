// Package shard packs a data set into tar archives that the webdataset library streams, checks them
// member by member, and unpacks them into the same manifest again.
//
// A folder of shards holds plan.json, written before any work starts; SPLIT-TIER-000000.tar and so
// on; shards.json, written last, with the digests of the archives and the manifest's header; and
// SHA256SUMS. Every record is one sample of one shard, that of its split and tier:
//
//	KEY.jpg               the stored picture (.png, ... by its format)
//	KEY.mask.png          the newest mask of its tier, or else the best, upright:
//	                      0 ground, 1 figure, 255 void
//	KEY.mask.TIER.N.png   its other masks, N is the revision
//	KEY.json              the manifest's record, with provenance
//
// KEY is the id, '.' written as %2E because readers end a key at the first dot. Names, order,
// owner, mode and time are fixed, so equal input gives equal bytes.
package shard
