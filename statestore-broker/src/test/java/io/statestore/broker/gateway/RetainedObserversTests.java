package io.statestore.broker.gateway;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeMap;
import java.util.function.IntConsumer;

import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Pages of observations on a broker that acknowledges when the test lets it. */
class RetainedObserversTests {

	private final TreeMap<Integer, ObserverPage> broker = new TreeMap<>();

	private final Deque<IntConsumer> unacknowledged = new ArrayDeque<>();

	private final List<String> retained = new ArrayList<>();

	private final RetainedObservers observers = new RetainedObservers(this::write);

	private int writes;

	private void write(int number, byte[] payload, IntConsumer acknowledged) {
		this.writes++;
		if (payload.length == 0) {
			this.broker.remove(number);
		}
		else {
			this.broker.put(number, ObserverPage.decode(payload));
		}
		this.unacknowledged.add(acknowledged);
	}

	private void acknowledge() {
		acknowledge(0);
	}

	private void acknowledge(int reason) {
		this.unacknowledged.remove().accept(reason);
	}

	private void acknowledgeAll() {
		while (!this.unacknowledged.isEmpty()) {
			acknowledge();
		}
	}

	private void add(String clientId, String key) {
		this.observers.add(clientId, Bytes.of(key), () -> this.retained.add(key));
	}

	private List<Observation> onBroker() {
		return this.broker.values().stream().flatMap((page) -> page.observations().stream()).toList();
	}

	@Test
	void completesWhenBrokerHasAcknowledged() {
		add("c", "k");
		assertThat(this.retained).isEmpty();
		assertThat(onBroker()).containsExactly(new Observation("c", Bytes.of("k")));
		acknowledge();
		assertThat(this.retained).containsExactly("k");
	}

	@Test
	void writesChangesDuringWriteTogether() {
		for (int i = 0; i < 10; i++) {
			add("c" + i, "k" + i);
		}
		assertThat(this.writes).isEqualTo(1);
		acknowledge();
		assertThat(this.retained).containsExactly("k0");
		assertThat(this.writes).isEqualTo(2);
		acknowledge();
		assertThat(this.retained).hasSize(10);
		assertThat(this.unacknowledged).isEmpty();
		assertThat(onBroker()).hasSize(10);
	}

	@Test
	void doesNotWriteKnownObservation() {
		add("c", "k");
		acknowledge();
		add("c", "k");
		assertThat(this.writes).isEqualTo(1);
		assertThat(this.retained).containsExactly("k", "k");
	}

	@Test
	void boundsPagesAndReusesTheirRoom() {
		for (int i = 0; i < 3_000; i++) {
			add("client", "a key of some length " + i);
			acknowledgeAll();
		}
		assertThat(onBroker()).hasSize(3_000);
		int pages = this.broker.size();
		assertThat(this.broker.values()).allSatisfy((page) -> assertThat(ObserverPage.encode(page.observations()))
			.hasSizeLessThan(RetainedObservers.PAGE_LENGTH + 200));
		for (int i = 0; i < 3_000; i++) {
			this.observers.remove("client", Bytes.of("a key of some length " + i));
			acknowledgeAll();
		}
		assertThat(this.broker).isEmpty();
		assertThat(this.observers.observes("client")).isFalse();
		for (int i = 0; i < 3_000; i++) {
			add("client", "a key of some length " + i);
			acknowledgeAll();
		}
		assertThat(this.broker).hasSizeLessThanOrEqualTo(pages);
		assertThat(this.broker.lastEntry().getKey()).isLessThan(pages);
	}

	@Test
	void releasesWaitersIfBrokerRefuses() {
		add("c", "k");
		acknowledge(0x87);
		assertThat(this.retained).containsExactly("k");
	}

	@Test
	void writesPageOnceAfterSeveralLostConnections() {
		add("c", "k0");
		add("c", "k1");
		for (int i = 0; i < 5; i++) {
			this.observers.disconnected();
			add("c", "lost" + i);
			this.observers.reconnected();
		}
		this.observers.disconnected();
		int before = this.writes;
		List<IntConsumer> late = List.copyOf(this.unacknowledged);
		this.unacknowledged.clear();
		this.observers.reconnected();
		assertThat(this.writes - before).isEqualTo(1);
		late.forEach((acknowledged) -> acknowledged.accept(0));
		assertThat(this.retained).as("released by late acknowledgments").isEmpty();
		acknowledgeAll();
		assertThat(this.retained).contains("k0", "k1", "lost4").hasSize(7);
		assertThat(onBroker()).hasSize(7);
	}

	@Test
	void clearsEmptiedPageThatBrokerRestored() {
		add("c", "k");
		acknowledge();
		Map<Integer, ObserverPage> backup = Map.copyOf(this.broker);
		this.observers.remove("c", Bytes.of("k"));
		acknowledge();
		this.observers.disconnected();
		this.broker.putAll(backup);
		this.observers.reconnected();
		assertThat(this.broker).isEmpty();
	}

	@Test
	void writesFewPagesAtOnce() {
		for (int i = 0; i < 2_000; i++) {
			add("client", "a key of some length " + i);
			acknowledgeAll();
		}
		this.observers.disconnected();
		this.broker.clear();
		this.observers.reconnected();
		assertThat(this.unacknowledged).hasSize(RetainedObservers.WRITES_AT_ONCE);
		acknowledgeAll();
		assertThat(onBroker()).hasSize(2_000);
	}

	@Test
	void givesLargeObservationPageOfItsOwn() {
		add("c", "small");
		acknowledgeAll();
		for (int i = 0; i < 10; i++) {
			add("c", "x".repeat(3_000));
			acknowledgeAll();
			add("c", "other" + i);
			acknowledgeAll();
			this.observers.remove("c", Bytes.of("x".repeat(3_000)));
			acknowledgeAll();
		}
		add("c", "x".repeat(3_000));
		acknowledgeAll();
		assertThat(this.broker).hasSize(2);
		assertThat(this.broker.lastEntry().getValue().observations()).hasSize(1);
	}

	@Test
	void releasesLaterWaitersIfOneFails() {
		add("c", "k0");
		this.observers.add("c", Bytes.of("k1"), () -> {
			throw new IllegalStateException("on purpose");
		});
		add("c", "k2");
		acknowledgeAll();
		assertThat(this.retained).containsExactly("k0", "k2");
	}

	@Test
	void continuesWithLoadedPages() {
		Observation first = new Observation("a", Bytes.of("1"));
		Observation second = new Observation("b", Bytes.of("2"));
		// Sorted, because the first page that names an observation keeps it.
		this.observers.load(new TreeMap<>(Map.of(3, new ObserverPage(List.of(first), 0), 5,
				new ObserverPage(List.of(first, second), 0), 7, new ObserverPage(List.of(), 4))));
		assertThat(this.broker).containsOnlyKeys(5);
		assertThat(onBroker()).as("without its double").containsExactly(second);
		assertThat(this.unacknowledged).as("pages 5 and 7").hasSize(2);
		acknowledgeAll();
		assertThat(this.observers.observes("a")).isTrue();
		this.observers.removeAll("a");
		this.observers.removeAll("b");
		acknowledgeAll();
		assertThat(this.broker).isEmpty();
		assertThat(this.observers.observes("a")).isFalse();
	}

	@Test
	void completesAtOnceIfBrokerRetainsNothing() {
		this.observers.stopRetaining();
		add("c", "k");
		assertThat(this.retained).containsExactly("k");
		assertThat(this.writes).isZero();
		assertThat(this.observers.observes("c")).isTrue();
	}

}
