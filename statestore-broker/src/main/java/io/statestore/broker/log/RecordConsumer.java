package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Receives the records of a log, with their places. */
@FunctionalInterface
interface RecordConsumer {

	/**
	 * Called for each record, in the order of the log.
	 * @param segment header of the segment that contains the record
	 * @param position where the record begins in the segment
	 * @param firstIndex index of the first of the entries
	 * @param skipped number of entries of the record before the first one
	 * @param entries the entries, valid during the call
	 */
	void accept(SegmentHeader segment, long position, long firstIndex, int skipped, List<ByteBuffer> entries)
			throws IOException;

}
