package io.statestore.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Receives a log's records at startup, with their locations. */
@FunctionalInterface
interface RecordConsumer {

	/**
	 * Called for each record, in log order.
	 * @param segment header of the segment that contains the record
	 * @param position where the record begins in the segment
	 * @param firstIndex index of the first entry in {@code entries}
	 * @param skipped number of the record's earlier entries, which are covered by a
	 * snapshot
	 * @param entries the remaining entries, valid only during the call
	 */
	void accept(SegmentHeader segment, long position, long firstIndex, int skipped, List<ByteBuffer> entries)
			throws IOException;

}
