/**
 * Files of a store that keeps its data in a directory: the command log, the snapshots,
 * and the store's identity. In this package, entries are opaque bytes.
 * <p>
 * The log numbers its <em>entries</em> from 1. Entries that are appended together are a
 * <em>batch</em>, which is written as one <em>record</em>. Records are stored
 * consecutively in <em>segments</em>, which are files named after the index of their
 * first entry. The last segment is the active segment. A <em>forced</em> entry is on disk
 * and survives a power failure. A <em>mark</em> is a record without entries that ends a
 * segment or the log.
 * <p>
 * To follow a write, begin with {@link FileLog#append}: {@code LogWriter} decides which
 * segment gets the record, {@code Segment} writes and forces it, and {@code ForcedFile}
 * records how much was forced. To follow startup, begin with {@link FileLog#replay}:
 * {@code LogReader} reads the records and decides where the log ends, and
 * {@code LogRecovery} removes what follows. {@link LogHistory} keeps the segments and
 * snapshots that the log no longer needs.
 * <p>
 * Four classes read entries. {@code SegmentReader} reads one segment, on behalf of the
 * other three. {@code LogReader} reads all segments at startup, {@code RecordReader}
 * reads single records in a running log, and {@link EntryReader} reads the log together
 * with its history.
 */
@NullMarked
package io.statestore.broker.log;

import org.jspecify.annotations.NullMarked;
