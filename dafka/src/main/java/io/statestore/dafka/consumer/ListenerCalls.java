package io.statestore.dafka.consumer;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;

import io.statestore.dafka.DafkaException;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handler that passes each record to a {@link RecordListener}. */
final class ListenerCalls implements RecordHandler {

	private static final Logger logger = LoggerFactory.getLogger(ListenerCalls.class);

	/** Number of records for which the listener threw an exception. */
	final LongAdder failed = new LongAdder();

	private final RecordListener listener;

	ListenerCalls(RecordListener listener) {
		this.listener = listener;
	}

	@Override
	public int maxRecords() {
		return 1;
	}

	@Override
	public int handle(List<DafkaRecord> records) {
		DafkaRecord record = records.get(0);
		try {
			this.listener.onRecord(record);
		}
		catch (Exception ex) {
			handleError(record, ex);
		}
		catch (Error ex) {
			handleError(record, new DafkaException("The listener failed with an error, which stops the consumer", ex));
			throw ex;
		}
		return 1;
	}

	private void handleError(DafkaRecord record, Exception failure) {
		this.failed.increment();
		try {
			this.listener.onError(record, failure);
		}
		catch (RuntimeException ex) {
			logger.error("The error handler of the listener failed", ex);
		}
	}

	@Override
	public void lost(TopicPartition partition, long first, long count) {
		try {
			this.listener.onLost(partition, first, count);
		}
		catch (RuntimeException ex) {
			logger.error("The listener failed to handle the loss of records", ex);
		}
	}

}
