package io.statestore.broker.log;

import java.nio.ByteBuffer;
import java.util.List;

/** Receives a log's batches during a {@linkplain FileLog#replay replay}. */
@FunctionalInterface
public interface BatchConsumer {

	/**
	 * Called for each batch, in log order.
	 * @param firstIndex index of the first entry. The others follow without gaps
	 * @param entries the entries, valid only during the call. Each buffer's position and
	 * limit enclose one entry
	 */
	void accept(long firstIndex, List<ByteBuffer> entries);

}
