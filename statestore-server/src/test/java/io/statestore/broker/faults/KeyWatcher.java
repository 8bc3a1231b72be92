package io.statestore.broker.faults;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.crash.Workload;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.TransientStateStoreException;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Watches keys with our client, which resynchronizes after each outage. Remembers the
 * last delivered change of each key.
 */
final class KeyWatcher implements Callable<Void>, AutoCloseable {

	private static final int PAUSE_MILLIS = 100;

	private final String clientId;

	private final StoreConnection connection;

	private final Map<Bytes, KeyChange<byte[]>> last = new ConcurrentHashMap<>();

	private final Queue<String> outOfOrder = new ConcurrentLinkedQueue<>();

	private final AtomicLong delivered = new AtomicLong();

	private final Generations generations;

	private volatile boolean finishing;

	KeyWatcher(int number, InetSocketAddress address, Generations generations) {
		this.generations = generations;
		this.clientId = "watcher-" + number;
		this.connection = new StoreConnection(this.clientId, address, LockClient.LEASE);
	}

	/** Ends the thread once the keys of all generations so far are watched. */
	void finish() {
		this.finishing = true;
	}

	@Override
	public Void call() throws InterruptedException {
		int watched = 0;
		while (true) {
			boolean last = this.finishing;
			for (; watched <= this.generations.current(); watched++) {
				for (Bytes key : Workload.plainKeys(Generations.suffix(watched))) {
					watch(key);
				}
			}
			if (last) {
				return null;
			}
			Thread.sleep(PAUSE_MILLIS);
		}
	}

	/** Watches a key. During an outage, this takes several attempts. */
	private void watch(Bytes key) {
		boolean watched = false;
		while (!watched) {
			try {
				this.connection.template()
					.watch(Key.of(key.toUtf8()), byte[].class, (spec) -> spec.initial(),
							(change) -> accept(key, change));
				watched = true;
			}
			catch (TransientStateStoreException ex) {
				// The next attempt follows.
			}
		}
	}

	private void accept(Bytes key, KeyChange<byte[]> change) {
		this.delivered.incrementAndGet();
		KeyChange<byte[]> before = this.last.put(key, change);
		if (before != null && before.version().compareTo(change.version()) > 0) {
			this.outOfOrder.add(this.clientId + " was notified of " + change + " after " + before);
		}
	}

	/** Returns the number of delivered changes. */
	long delivered() {
		return this.delivered.get();
	}

	/** Returns a description of each change that was older than the previous change. */
	List<String> outOfOrder() {
		return List.copyOf(this.outOfOrder);
	}

	/**
	 * Returns a description of each key whose last value was not delivered.
	 * @param values values by key, without absent keys
	 */
	List<String> missing(Map<Bytes, Bytes> values) {
		Map<Bytes, @Nullable Bytes> expected = new HashMap<>();
		this.generations.suffixes()
			.forEach((suffix) -> Workload.plainKeys(suffix).forEach((key) -> expected.put(key, null)));
		expected.replaceAll((key, absent) -> values.get(key));
		List<String> result = new ArrayList<>();
		expected.forEach((key, value) -> {
			KeyChange<byte[]> change = this.last.get(key);
			Bytes seen = (change != null && change.value() != null) ? Bytes.copyOf(change.value()) : null;
			if (!Objects.equals(seen, value)) {
				result.add(this.clientId + ": " + key.toUtf8() + " is " + ((value != null) ? value.toUtf8() : "absent")
						+ ", last delivered was " + change);
			}
		});
		return result;
	}

	@Override
	public void close() {
		this.connection.close();
	}

}
