package io.statestore.broker.log;

import java.nio.ByteBuffer;
import java.util.List;

/** Receives the batches of a log during a {@linkplain FileLog#replay replay}. */
@FunctionalInterface
public interface BatchConsumer {

	/**
	 * Called for each batch, in the order of the log.
	 * @param firstIndex index of the first entry. The others follow without gaps
	 * @param entries the entries, valid during the call only. Position and limit of a
	 * buffer enclose one entry
	 */
	void accept(long firstIndex, List<ByteBuffer> entries);

}
