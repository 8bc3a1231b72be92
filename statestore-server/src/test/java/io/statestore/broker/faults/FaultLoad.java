package io.statestore.broker.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.crash.Pending;
import io.statestore.broker.crash.Recorder;
import io.statestore.broker.crash.Workload;
import io.statestore.broker.linearizability.Operation;
import io.statestore.broker.mqtt.NumberedPublisher;
import io.statestore.broker.mqtt.NumberedSubscriber;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Replies;
import io.statestore.protocol.Reply;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Clients that send requests, hold locks, and watch keys, through all nodes. */
final class FaultLoad implements AutoCloseable {

	private static final int REQUEST_CLIENTS = 9;

	private static final int LOCK_CLIENTS = 4;

	private static final int WATCHERS = 3;

	/** Pause between messages. Limits the publisher to 200 messages per second. */
	private static final int PAUSE_MILLIS = 5;

	private static final int END_SECONDS = 60;

	private final List<InetSocketAddress> addresses;

	private final Generations generations = new Generations();

	private final Recorder recorder = new Recorder();

	private final List<RequestClient> requestClients = new ArrayList<>();

	private final List<LockClient> lockClients = new ArrayList<>();

	private final List<KeyWatcher> watchers = new ArrayList<>();

	private final NumberedPublisher publisher = new NumberedPublisher("publisher", (port) -> open(), PAUSE_MILLIS);

	private final NumberedSubscriber subscriber = new NumberedSubscriber("subscriber", (port) -> open());

	private final AtomicInteger connections = new AtomicInteger();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<Future<Void>> results = new ArrayList<>();

	FaultLoad(List<InetSocketAddress> addresses, long seed) throws IOException {
		this.addresses = addresses;
		for (int i = 0; i < REQUEST_CLIENTS; i++) {
			this.requestClients.add(new RequestClient(i, addresses, this.generations, this.recorder, seed + i));
		}
		for (int i = 0; i < LOCK_CLIENTS; i++) {
			this.lockClients.add(new LockClient(i, address(i), this.generations, this.recorder, seed - i));
		}
		for (int i = 0; i < WATCHERS; i++) {
			this.watchers.add(new KeyWatcher(i, address(i), this.generations));
		}
		this.requestClients.forEach(this::start);
		this.lockClients.forEach(this::start);
		this.watchers.forEach(this::start);
		this.subscriber.subscribe("publisher/+");
		start(this.subscriber);
		start(this.publisher);
	}

	private RawMqttConnection open() throws IOException {
		return new RawMqttConnection(address(this.connections.getAndIncrement()), Duration.ofSeconds(2));
	}

	private InetSocketAddress address(int number) {
		return this.addresses.get(number % this.addresses.size());
	}

	private void start(Callable<Void> client) {
		this.results.add(this.threads.submit(client));
	}

	/** Fails if a client has failed. */
	void verify() throws Exception {
		for (Future<Void> result : this.results) {
			if (result.isDone()) {
				result.get();
			}
		}
	}

	Recorder recorder() {
		return this.recorder;
	}

	List<Holding> holdings() {
		return this.lockClients.stream().flatMap((client) -> client.holdings().stream()).toList();
	}

	long delivered() {
		return this.watchers.stream().mapToLong(KeyWatcher::delivered).sum();
	}

	List<String> outOfOrder() {
		return this.watchers.stream().flatMap((watcher) -> watcher.outOfOrder().stream()).toList();
	}

	/** Ends all clients, but not the watches. */
	void finish() throws Exception {
		this.watchers.forEach(KeyWatcher::finish);
		this.requestClients.forEach(RequestClient::finish);
		this.lockClients.forEach(LockClient::finish);
		this.publisher.stop();
		awaitMessages();
		this.subscriber.stop();
		for (Future<Void> result : this.results) {
			result.get(END_SECONDS, TimeUnit.SECONDS);
		}
	}

	/** Waits until the subscriber has received all acknowledged messages. */
	private void awaitMessages() {
		for (int qos = 1; qos <= 2; qos++) {
			int each = qos;
			Awaitility.await("messages of QoS " + qos)
				.atMost(END_SECONDS, TimeUnit.SECONDS)
				.until(() -> this.subscriber.hasReceived(this.publisher.topic(each), this.publisher.accepted(each)));
		}
	}

	long messages() {
		return this.publisher.acknowledged();
	}

	/** Returns how often the subscriber continued its session. */
	long resumed() {
		return this.subscriber.resumed();
	}

	/**
	 * Reads all keys through all nodes while no client writes, and records their values.
	 * @return the values by key
	 */
	Map<Bytes, Bytes> audit() {
		List<Bytes> keys = new ArrayList<>();
		for (String suffix : this.generations.suffixes()) {
			keys.addAll(Workload.keys(suffix));
			keys.addAll(LockClient.guardedKeys(suffix));
		}
		Map<Bytes, Bytes> values = new HashMap<>();
		for (int i = 0; i < this.addresses.size(); i++) {
			String auditor = "auditor-" + i;
			try (StoreClient client = StoreClient.connect(this.addresses.get(i), auditor)) {
				for (Bytes key : keys) {
					long invoked = System.nanoTime();
					RawPublish message = client.call("GET", key.toUtf8());
					Reply reply = Replies.decode(Bytes.copyOf(message.payload));
					this.recorder.add(new Operation(auditor, new Command.Get(key), null, invoked, System.nanoTime(),
							reply, Pending.version(message)));
					if (reply instanceof Reply.Value found) {
						values.put(key, found.value());
					}
				}
			}
		}
		return values;
	}

	/** Returns the number of our clients' acknowledged increments. */
	long increments() {
		return this.lockClients.stream().mapToLong(LockClient::acknowledgedIncrements).sum();
	}

	/**
	 * Compares the counter on each node with our clients' increments. The clients must
	 * have ended.
	 */
	List<String> miscounted() {
		long most = increments() + this.lockClients.stream().mapToLong(LockClient::unknownIncrements).sum();
		List<String> result = new ArrayList<>();
		for (InetSocketAddress address : this.addresses) {
			try (StoreClient client = StoreClient.connect(address, "counting")) {
				String value = client.value(LockClient.COUNTER);
				long count = (value != null) ? Long.parseLong(value) : 0;
				if (count < increments() || count > most) {
					result.add("%s through %s, after %s acknowledged increments, and %s attempted".formatted(count,
							address, increments(), most));
				}
			}
		}
		return result;
	}

	/**
	 * Waits for a while until the last values are delivered. Returns a description of
	 * each missing value.
	 */
	List<String> awaitLastValues(Map<Bytes, Bytes> values) {
		List<String> missing = new ArrayList<>();
		try {
			Awaitility.await().atMost(END_SECONDS, TimeUnit.SECONDS).until(() -> {
				missing.clear();
				this.watchers.forEach((watcher) -> missing.addAll(watcher.missing(values)));
				return missing.isEmpty();
			});
		}
		catch (ConditionTimeoutException ex) {
			// The caller reports what is missing.
		}
		return missing;
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
		this.lockClients.forEach(LockClient::close);
		this.watchers.forEach(KeyWatcher::close);
	}

}
