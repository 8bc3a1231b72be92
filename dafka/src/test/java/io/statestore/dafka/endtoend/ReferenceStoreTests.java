package io.statestore.dafka.endtoend;

import java.util.List;
import java.util.stream.IntStream;

import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.store.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A store together with a store that behaves like the reference implementation. */
@Timeout(120)
class ReferenceStoreTests {

	private static final String ENDED = "0123456789ABCDEF0123456789ABCDEF";

	private static final String ALSO_ENDED = "FEDCBA9876543210FEDCBA9876543210";

	@Test
	void copiesHistoryFromReferenceStore() {
		Received received = new Received();
		try (Cluster cluster = new Cluster(); Store store = cluster.store().start()) {
			try (ReferenceStore reference = new ReferenceStore(cluster).with("t", ENDED, contents("t", ENDED, 30_000))
				.with("u", ALSO_ENDED, contents("u", ALSO_ENDED, 1))
				.start(store.port())) {
				await("the copy").until(() -> store.metrics().stored() == 30_001);
			}
			// The copy answers consumers without the original.
			try (Consumer consumer = cluster.earliest("t", "u").start(received)) {
				await("all records").until(() -> received.count() == 30_001);
				assertThat(consumer.metrics().lost()).isZero();
			}
			assertThat(received.wrong()).isEmpty();
			assertThat(store.metrics().node().malformed()).isZero();
		}
	}

	private static List<String> contents(String topic, String address, int count) {
		return IntStream.range(0, count).mapToObj((offset) -> Received.content(topic, address, offset)).toList();
	}

}
