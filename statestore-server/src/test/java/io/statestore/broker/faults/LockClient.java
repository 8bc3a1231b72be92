package io.statestore.broker.faults;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.statestore.broker.crash.Recorder;
import io.statestore.broker.linearizability.Operation;
import io.statestore.client.Entry;
import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.HeldLock;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Repeatedly acquires locks and writes with their fencing tokens, sometimes with the
 * token of a lock that it held before. Also increments a counter that all clients share.
 */
final class LockClient implements Callable<Void>, AutoCloseable {

	static final int LOCKS = 2;

	/** Key of the shared counter. */
	static final String COUNTER = "increments";

	static final Duration LEASE = Duration.ofSeconds(2);

	private static final int MAX_HOLD_MILLIS = 1_500;

	private static final int CHECK_MILLIS = 10;

	private final String clientId;

	private final StoreConnection connection;

	private final Generations generations;

	private final Recorder recorder;

	private final Random random;

	private final List<Holding> holdings = new ArrayList<>();

	private @Nullable FencingToken earlier;

	private int lastValue;

	private long acknowledgedIncrements;

	private long unknownIncrements;

	private volatile boolean finishing;

	LockClient(int number, InetSocketAddress address, Generations generations, Recorder recorder, long seed) {
		this.clientId = "holder-" + number;
		this.connection = new StoreConnection(this.clientId, address, LEASE);
		this.generations = generations;
		this.recorder = recorder;
		this.random = new Random(seed);
	}

	/** Returns the keys that are written under locks. */
	static List<Bytes> guardedKeys(String suffix) {
		return IntStream.range(0, LOCKS).mapToObj((number) -> Bytes.of(guarded("lock-" + number, suffix))).toList();
	}

	private static String guarded(String lock, String suffix) {
		return "guarded-by-" + lock + suffix;
	}

	void finish() {
		this.finishing = true;
	}

	/**
	 * Returns when this client held which locks. Call this after the client has ended.
	 */
	List<Holding> holdings() {
		return this.holdings;
	}

	/**
	 * Returns the number of acknowledged increments. Call this after the client has
	 * ended.
	 */
	long acknowledgedIncrements() {
		return this.acknowledgedIncrements;
	}

	/** Returns the number of increments with an unknown outcome. */
	long unknownIncrements() {
		return this.unknownIncrements;
	}

	@Override
	public Void call() throws InterruptedException {
		while (!this.finishing) {
			String name = "lock-" + this.random.nextInt(LOCKS);
			FencedLock lock = this.connection.locks().obtain(name);
			try {
				if (lock.tryLock(1, TimeUnit.SECONDS)) {
					hold(name, lock);
				}
			}
			catch (StateStoreException ex) {
				Thread.sleep(CHECK_MILLIS);
			}
		}
		return null;
	}

	private void hold(String name, FencedLock lock) throws InterruptedException {
		try {
			HeldLock held = lock.heldLock();
			watch(name, held);
			this.earlier = held.token();
		}
		finally {
			lock.unlock();
		}
	}

	private void watch(String name, HeldLock held) throws InterruptedException {
		long end = System.nanoTime() + this.random.nextInt(MAX_HOLD_MILLIS) * 1_000_000L;
		long from = 0;
		long to = 0;
		long before = System.nanoTime();
		while (held.isValid() && before < end) {
			from = (from == 0) ? System.nanoTime() : from;
			to = before;
			access(guarded(name, this.generations.suffix()), held);
			Thread.sleep(this.random.nextInt(2 * CHECK_MILLIS));
			before = System.nanoTime();
		}
		if (to > from) {
			this.holdings.add(new Holding(name, this.clientId, held.token().version(), from, to));
		}
	}

	private void access(String key, HeldLock held) {
		FencingToken stale = this.earlier;
		int kind = this.random.nextInt(20);
		if (kind == 0 && stale != null) {
			write(key, stale, (value) -> this.connection.template().fencedBy(stale).set(key, value));
		}
		else if (kind < 5) {
			read(key);
		}
		else if (kind < 10) {
			increment();
		}
		else {
			write(key, held.token(), (value) -> held.operations().set(key, value));
		}
	}

	private void increment() {
		try {
			this.connection.template().increment(COUNTER, 1);
			this.acknowledgedIncrements++;
		}
		catch (StateStoreRefusedException | StateStoreNotSentException ex) {
			// Has no effect.
		}
		catch (StateStoreException ex) {
			this.unknownIncrements++;
		}
	}

	private void read(String key) {
		Command command = new Command.Get(Bytes.of(key));
		long invoked = System.nanoTime();
		try {
			Optional<Entry<byte[]>> found = this.connection.template().get(Key.of(key), byte[].class);
			Reply reply = found.<Reply>map((entry) -> new Reply.Value(Bytes.copyOf(entry.value())))
				.orElseGet(Reply.Missing::new);
			record(command, null, invoked, reply, found.map(Entry::version).orElse(null));
		}
		catch (StateStoreException ex) {
			// A read without a reply does not show anything.
		}
	}

	private interface Write {

		SetResult write(byte[] value);

	}

	private void write(String key, FencingToken token, Write write) {
		Bytes value = Bytes.of(this.clientId + '-' + ++this.lastValue);
		Command.Set command = new Command.Set(Bytes.of(key), value);
		long invoked = System.nanoTime();
		try {
			SetResult result = write.write(value.toArray());
			record(command, token.version(), invoked, new Reply.Ok(), result.version());
		}
		catch (StateStoreRefusedException ex) {
			record(command, token.version(), invoked, new Reply.Error(ex.reason()), null);
		}
		catch (StateStoreNotSentException ex) {
			// Has no effect.
		}
		catch (StateStoreException ex) {
			this.recorder
				.add(new Operation(this.clientId, command, token.version(), invoked, Operation.NEVER, null, null));
		}
	}

	private void record(Command command, @Nullable Version token, long invoked, Reply reply,
			@Nullable Version version) {
		this.recorder.add(new Operation(this.clientId, command, token, invoked, System.nanoTime(), reply, version));
	}

	@Override
	public void close() {
		this.connection.close();
	}

}
