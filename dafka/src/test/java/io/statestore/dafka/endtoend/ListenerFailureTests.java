package io.statestore.dafka.endtoend;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.statestore.dafka.endtoend.StreamingTests.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Listeners that throw an {@link Error}. */
@Timeout(120)
class ListenerFailureTests {

	@Test
	void errorInListenerFailsConsumer() {
		Failing listener = new Failing();
		OffsetStore offsets = OffsetStore.memory();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Producer producer = cluster.producer().start();
				Consumer consumer = cluster.earliest("t").offsets(offsets).start(listener)) {
			send(producer, "t", 0, 10).forEach(CompletableFuture::join);
			await("the failure").until(() -> consumer.failure() != null);
			assertThat(consumer.failure()).isInstanceOf(StackOverflowError.class).hasMessage("deep");
			await("the listener is notified").until(() -> !listener.errors.isEmpty());
			assertThat(listener.errors).singleElement()
				.satisfies((error) -> assertThat(error).hasCause(listener.error));
			TopicPartition partition = new TopicPartition("t", producer.address());
			await("the offset is saved").until(() -> offsets.load().containsKey(partition));
			assertThat(offsets.load()).containsEntry(partition, 3L);
			assertThat(listener.offsets).containsExactly(0L, 1L, 2L, 3L);
			assertThat(consumer.metrics().failed()).isOne();
			assertThat(store.failure()).isNull();
		}
	}

	@Test
	void errorInErrorHandlerFailsConsumer() {
		StackOverflowError error = new StackOverflowError("deep");
		RecordListener listener = new RecordListener() {

			@Override
			public void onRecord(DafkaRecord record) {
				throw new IllegalStateException("refused");
			}

			@Override
			public void onError(DafkaRecord record, Exception failure) {
				throw error;
			}

		};
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Producer producer = cluster.producer().start();
				Consumer consumer = cluster.earliest("t").start(listener)) {
			send(producer, "t", 0, 1).forEach(CompletableFuture::join);
			await("the failure").until(() -> consumer.failure() == error);
			assertThat(store.failure()).isNull();
		}
	}

	/** Throws an error at the fourth record. */
	private static final class Failing implements RecordListener {

		private final List<Long> offsets = new CopyOnWriteArrayList<>();

		private final List<Exception> errors = new CopyOnWriteArrayList<>();

		private final StackOverflowError error = new StackOverflowError("deep");

		@Override
		public void onRecord(DafkaRecord record) {
			this.offsets.add(record.offset());
			if (record.offset() == 3) {
				throw this.error;
			}
		}

		@Override
		public void onError(DafkaRecord record, Exception failure) {
			this.errors.add(failure);
		}

	}

}
