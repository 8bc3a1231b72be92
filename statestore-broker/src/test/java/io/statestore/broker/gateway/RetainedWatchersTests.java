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

/** Pages of watches on a broker whose acknowledgments the test controls. */
class RetainedWatchersTests {

	private final TreeMap<Integer, WatcherPage> broker = new TreeMap<>();

	private final Deque<IntConsumer> unacknowledged = new ArrayDeque<>();

	private final List<String> retained = new ArrayList<>();

	private final RetainedWatchers watchers = new RetainedWatchers(this::write);

	private int writes;

	private void write(int number, byte[] payload, IntConsumer acknowledged) {
		this.writes++;
		if (payload.length == 0) {
			this.broker.remove(number);
		}
		else {
			this.broker.put(number, WatcherPage.decode(payload));
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
		this.watchers.add(clientId, Bytes.of(key), () -> this.retained.add(key));
	}

	private List<Watch> onBroker() {
		return this.broker.values().stream().flatMap((page) -> page.watches().stream()).toList();
	}

	@Test
	void completesOnceBrokerAcknowledges() {
		add("c", "k");
		assertThat(this.retained).isEmpty();
		assertThat(onBroker()).containsExactly(new Watch("c", Bytes.of("k")));
		acknowledge();
		assertThat(this.retained).containsExactly("k");
	}

	@Test
	void batchesChangesMadeDuringWrite() {
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
	void doesNotWriteKnownWatch() {
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
		assertThat(this.broker.values()).allSatisfy((page) -> assertThat(WatcherPage.encode(page.watches()))
			.hasSizeLessThan(RetainedWatchers.PAGE_LENGTH + 200));
		for (int i = 0; i < 3_000; i++) {
			this.watchers.remove("client", Bytes.of("a key of some length " + i));
			acknowledgeAll();
		}
		assertThat(this.broker).isEmpty();
		assertThat(this.watchers.watches("client")).isFalse();
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
			this.watchers.disconnected();
			add("c", "lost" + i);
			this.watchers.reconnected();
		}
		this.watchers.disconnected();
		int before = this.writes;
		List<IntConsumer> late = List.copyOf(this.unacknowledged);
		this.unacknowledged.clear();
		this.watchers.reconnected();
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
		Map<Integer, WatcherPage> backup = Map.copyOf(this.broker);
		this.watchers.remove("c", Bytes.of("k"));
		acknowledge();
		this.watchers.disconnected();
		this.broker.putAll(backup);
		this.watchers.reconnected();
		assertThat(this.broker).isEmpty();
	}

	@Test
	void writesFewPagesConcurrently() {
		for (int i = 0; i < 2_000; i++) {
			add("client", "a key of some length " + i);
			acknowledgeAll();
		}
		this.watchers.disconnected();
		this.broker.clear();
		this.watchers.reconnected();
		assertThat(this.unacknowledged).hasSize(RetainedWatchers.WRITES_AT_ONCE);
		acknowledgeAll();
		assertThat(onBroker()).hasSize(2_000);
	}

	@Test
	void givesLargeWatchItsOwnPage() {
		add("c", "small");
		acknowledgeAll();
		for (int i = 0; i < 10; i++) {
			add("c", "x".repeat(3_000));
			acknowledgeAll();
			add("c", "other" + i);
			acknowledgeAll();
			this.watchers.remove("c", Bytes.of("x".repeat(3_000)));
			acknowledgeAll();
		}
		add("c", "x".repeat(3_000));
		acknowledgeAll();
		assertThat(this.broker).hasSize(2);
		assertThat(this.broker.lastEntry().getValue().watches()).hasSize(1);
	}

	@Test
	void releasesLaterWaitersIfOneFails() {
		add("c", "k0");
		this.watchers.add("c", Bytes.of("k1"), () -> {
			throw new IllegalStateException("on purpose");
		});
		add("c", "k2");
		acknowledgeAll();
		assertThat(this.retained).containsExactly("k0", "k2");
	}

	@Test
	void continuesWithLoadedPages() {
		Watch first = new Watch("a", Bytes.of("1"));
		Watch second = new Watch("b", Bytes.of("2"));
		// Sorted, because the first page that names a watch keeps it.
		this.watchers.load(new TreeMap<>(Map.of(3, new WatcherPage(List.of(first), 0), 5,
				new WatcherPage(List.of(first, second), 0), 7, new WatcherPage(List.of(), 4))));
		assertThat(this.broker).containsOnlyKeys(5);
		assertThat(onBroker()).as("without its double").containsExactly(second);
		assertThat(this.unacknowledged).as("pages 5 and 7").hasSize(2);
		acknowledgeAll();
		assertThat(this.watchers.watches("a")).isTrue();
		this.watchers.removeAll("a");
		this.watchers.removeAll("b");
		acknowledgeAll();
		assertThat(this.broker).isEmpty();
		assertThat(this.watchers.watches("a")).isFalse();
	}

	@Test
	void completesImmediatelyIfBrokerRetainsNothing() {
		this.watchers.stopRetaining();
		add("c", "k");
		assertThat(this.retained).containsExactly("k");
		assertThat(this.writes).isZero();
		assertThat(this.watchers.watches("c")).isTrue();
	}

}
