package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Receives the records of a log during a start, with their locations. */
@FunctionalInterface
interface RecordConsumer {

	/**
	 * Called for each record, in the order of the log.
	 * @param segment header of the segment that contains the record
	 * @param position where the record begins in the segment
	 * @param firstIndex index of the first entry that is passed
	 * @param skipped number of entries of the record before that, which a snapshot
	 * contains
	 * @param entries the entries that are passed, valid during the call
	 */
	void accept(SegmentHeader segment, long position, long firstIndex, int skipped, List<ByteBuffer> entries)
			throws IOException;

}
