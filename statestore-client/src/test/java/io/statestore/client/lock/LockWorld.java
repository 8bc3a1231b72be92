package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.Request;
import io.statestore.broker.engine.StateStoreEngine;
import io.statestore.client.DeleteResult;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A simulated world of processes that contend for one lock: the real engine of the store,
 * a network that delays, loses, repeats and reorders, clocks that run at different rates,
 * processes that are paused or die. Everything is decided by the seed.
 */
final class LockWorld {

	static final Key LOCK = Key.of("lock");

	static final Key SUCCESSOR = SuccessorLock.keyOf(LOCK);

	static final Bytes PROTECTED = Bytes.of("protected");

	static final Duration LEASE = Duration.ofSeconds(2);

	/** Two clocks differ by less than one in a hundred. */
	private static final double MAX_DRIFT = 0.004;

	private static final long MILLI = 1_000_000;

	private static final long START_OF_WALL_TIME = 1_700_000_000_000L;

	private final PriorityQueue<Event> queue = new PriorityQueue<>();

	private final List<String> trace = new ArrayList<>();

	private final List<Node> nodes = new ArrayList<>();

	final Random random;

	private final boolean losesMemory;

	private final boolean tracing;

	private final double storeRate;

	private final SimulatedWatch auditor;

	private StateStoreEngine<SimulatedWatch> engine;

	private long now;

	private long sequence;

	private boolean storeDown;

	/** Nothing goes wrong any more. */
	private boolean calm;

	private int calmDelayMicros;

	/** Token of the last fenced write that the store took. */
	private @Nullable Version lastToken;

	int acceptedWrites;

	int refusedWrites;

	int losses;

	int tenures;

	/** For how long nobody held the lock though somebody waited, in calm times. */
	long longestUnserved;

	/** Since when that is so, or {@link Long#MAX_VALUE}. */
	private long unservedSince = Long.MAX_VALUE;

	/** Of SET, by key. */
	final Map<Key, Integer> requests = new HashMap<>();

	LockWorld(long seed, boolean losesMemory, boolean tracing) {
		this.tracing = tracing;
		this.random = new Random(seed);
		this.losesMemory = losesMemory;
		this.storeRate = rate();
		this.engine = newEngine();
		this.auditor = new Node("auditor").observer;
	}

	private StateStoreEngine<SimulatedWatch> newEngine() {
		return new StateStoreEngine<>(() -> START_OF_WALL_TIME + this.now / MILLI,
				() -> (long) (this.now * this.storeRate), Quota.UNLIMITED,
				// The engine tells them in no particular order, the world always in the
				// same.
				(key, change, version, observers) -> observers.stream()
					.sorted(Comparator.comparingLong((watch) -> watch.number))
					.toList()
					.forEach((watch) -> watch.notified(change, version)));
	}

	private double rate() {
		return 1 + (this.random.nextDouble() * 2 - 1) * MAX_DRIFT;
	}

	boolean chance(double probability) {
		return !this.calm && this.random.nextDouble() < probability;
	}

	long between(long minMillis, long maxMillis) {
		return (minMillis + (long) (this.random.nextDouble() * (maxMillis - minMillis))) * MILLI;
	}

	private long networkDelay() {
		if (this.calm && this.calmDelayMicros > 0) {
			return this.calmDelayMicros * (500 + this.random.nextInt(1000));
		}
		return chance(0.03) ? between(100, 3 * LEASE.toMillis())
				: 50_000 + (long) (this.random.nextDouble() * this.random.nextDouble() * 20 * MILLI);
	}

	void log(Supplier<String> line) {
		if (this.tracing) {
			trace(line.get());
		}
	}

	private void trace(String line) {
		this.trace.add(this.now / MILLI + "." + this.now % MILLI / 1000 + " " + line);
	}

	void fail(String problem) {
		throw new AssertionError(problem + "\n"
				+ String.join("\n", this.trace.subList(Math.max(0, this.trace.size() - 80), this.trace.size())));
	}

	void at(long delay, @Nullable Node node, Runnable action) {
		this.queue.add(new Event(this.now + Math.max(0, delay), this.sequence++, node, action));
	}

	Node node(String name) {
		Node node = new Node(name);
		this.nodes.add(node);
		return node;
	}

	List<Node> nodes() {
		return this.nodes;
	}

	/** Nothing goes wrong from now on, and the network is as fast as this on average. */
	void calm(int delayMicros) {
		this.calmDelayMicros = delayMicros;
		this.calm = true;
	}

	long now() {
		return this.now;
	}

	/** Break things, now and then, until it is calm. */
	void unleashFaults(long calmAt) {
		scheduleRestart(calmAt);
		at(calmAt, null, () -> {
			log(() -> "calm");
			this.calm = true;
			this.storeDown = false;
			this.nodes.forEach(Node::resume);
		});
	}

	private void scheduleRestart(long calmAt) {
		at(between(2_000, 30_000), null, () -> {
			if (this.now < calmAt) {
				restartStore();
				scheduleRestart(calmAt);
			}
		});
	}

	private void restartStore() {
		log(() -> "store goes down");
		this.storeDown = true;
		if (this.losesMemory) {
			this.engine = newEngine();
			// The marks of fencing are gone with the keys.
			this.lastToken = null;
		}
		List<SimulatedWatch> watches = this.nodes.stream().flatMap((node) -> node.watches.stream()).toList();
		watches.forEach((watch) -> {
			this.engine.disconnected(watch);
			watch.registered = false;
		});
		at(between(5, 3_000), null, () -> {
			log(() -> "store is back");
			this.storeDown = false;
			watches.forEach((watch) -> at(networkDelay(), watch.node, watch::reconnected));
		});
	}

	/** Let time pass. */
	void run(long until) {
		while (true) {
			Event event = this.queue.peek();
			long expiry = Math.max(1, (long) (this.engine.nanosToNextDeadline() / this.storeRate));
			long expireAt = (this.storeDown || expiry > until) ? Long.MAX_VALUE : this.now + expiry;
			if (event == null || Math.min(event.time, expireAt) > until) {
				this.now = until;
				return;
			}
			if (expireAt < event.time) {
				this.now = expireAt;
				this.engine.expire(1000);
			}
			else {
				this.queue.remove();
				this.now = event.time;
				event.run();
			}
			checkExclusive();
			this.nodes.forEach(Node::checkReported);
			checkServed();
		}
	}

	private void checkExclusive() {
		if (this.losesMemory) {
			return;
		}
		Node holder = null;
		for (Node node : this.nodes) {
			if (node.isValid()) {
				if (holder != null) {
					fail("Two holders at once: " + holder.name + " and " + node.name);
				}
				holder = node;
			}
		}
	}

	private void checkServed() {
		if (!this.calm || this.nodes.stream().noneMatch((node) -> node.waiting) || isTaken(LOCK)) {
			this.unservedSince = Long.MAX_VALUE;
			return;
		}
		this.unservedSince = Math.min(this.unservedSince, this.now);
		this.longestUnserved = Math.max(this.longestUnserved, this.now - this.unservedSince);
	}

	/** Whether the store holds anything under a key. */
	boolean isTaken(Key key) {
		Command get = new Command.Get(key.bytes());
		return this.engine.apply(new Request<>(get, null, null, this.auditor)).reply() instanceof Reply.Value;
	}

	/** A request to the store and its reply, unless something comes between. */
	private void call(Node node, Command command, @Nullable Version token, Duration timeout,
			Consumer<@Nullable Answer> reply) {
		boolean[] done = new boolean[1];
		Consumer<@Nullable Answer> once = (answer) -> {
			if (!done[0]) {
				done[0] = true;
				reply.accept(answer);
			}
		};
		int copies = chance(0.05) ? 0 : chance(0.05) ? 2 : 1;
		String timestamp = node.timestamp();
		for (int copy = 0; copy < copies; copy++) {
			at(networkDelay(), null, () -> {
				if (this.storeDown) {
					return;
				}
				Answer answer = this.engine
					.apply(new Request<>(command, timestamp, (token != null) ? token.toString() : null, node.observer));
				if (token != null) {
					written(node, token, answer);
				}
				if (!chance(0.05)) {
					at(networkDelay(), node, () -> once.accept(answer));
				}
			});
		}
		node.schedule(timeout, () -> once.accept(null));
	}

	private void written(Node node, Version token, Answer answer) {
		if (answer.reply() instanceof Reply.Ok) {
			this.acceptedWrites++;
			log(() -> node.name + " wrote with token " + token);
			if (this.lastToken != null && this.lastToken.compareTo(token) > 0) {
				fail("Token " + token + " was accepted after " + this.lastToken);
			}
			this.lastToken = token;
		}
		else {
			this.refusedWrites++;
		}
	}

	/** What happens at a time, on a node or in the world. */
	private record Event(long time, long sequence, @Nullable Node node, Runnable action) implements Comparable<Event> {

		void run() {
			if (this.node == null) {
				this.action.run();
			}
			else {
				this.node.run(this.action);
			}
		}

		@Override
		public int compareTo(Event other) {
			int byTime = Long.compare(this.time, other.time);
			return (byTime != 0) ? byTime : Long.compare(this.sequence, other.sequence);
		}

	}

	/** A process with a clock of its own. */
	final class Node implements LockTime {

		private final Deque<Runnable> missed = new ArrayDeque<>();

		private final List<SimulatedWatch> watches = new ArrayList<>();

		private final SimulatedWatch observer = new SimulatedWatch(this, LOCK, null);

		private final double rate = rate();

		private final long offset = LockWorld.this.random.nextLong();

		final String name;

		/** Whether somebody here waits for the lock. */
		boolean waiting;

		private boolean paused;

		private boolean dead;

		@Nullable Lease lease;

		@Nullable LockLoss loss;

		Node(String name) {
			this.name = name;
		}

		void run(Runnable action) {
			if (this.paused) {
				this.missed.add(action);
			}
			else if (!this.dead) {
				action.run();
			}
		}

		void pause(long nanos) {
			log(() -> this.name + " is paused for " + nanos / MILLI + " ms");
			this.paused = true;
			at(nanos, null, this::resume);
		}

		private void resume() {
			if (this.paused) {
				log(() -> this.name + " wakes up");
				this.paused = false;
				List<Runnable> actions = new ArrayList<>(this.missed);
				this.missed.clear();
				Collections.shuffle(actions, LockWorld.this.random);
				actions.forEach(this::run);
			}
		}

		void die() {
			log(() -> this.name + " dies");
			this.dead = true;
			this.lease = null;
			this.watches.forEach(LockWorld.this.engine::disconnected);
			LockWorld.this.nodes.remove(this);
		}

		boolean isValid() {
			return this.lease != null && this.lease.isValid();
		}

		void checkReported() {
			if (!this.paused && this.lease != null && this.loss == null && !this.lease.isValid()
					&& this.lease.remainingOrOverdue() < -MILLI) {
				fail(this.name + " was not told of its loss");
			}
		}

		/** A clock for versions, which jumps. */
		private String timestamp() {
			long wall = START_OF_WALL_TIME + LockWorld.this.now / MILLI + between(-20_000, 20_000) / MILLI;
			return wall + ":0:" + this.name;
		}

		void write(Version token, Consumer<Boolean> done) {
			Bytes value = Bytes.of(this.name);
			call(this, new Command.Set(PROTECTED, value, Condition.ALWAYS, null), token, LEASE,
					(answer) -> done.accept(answer != null && answer.reply() instanceof Reply.Ok));
		}

		@Override
		public long nanoTime() {
			return this.offset + (long) (LockWorld.this.now * this.rate);
		}

		@Override
		public Runnable schedule(Duration delay, Runnable task) {
			boolean[] cancelled = new boolean[1];
			// Rounded up: a timer is never early.
			at((long) Math.ceil(delay.toNanos() / this.rate) + 1, this, () -> {
				if (!cancelled[0]) {
					task.run();
				}
			});
			return () -> cancelled[0] = true;
		}

		@Override
		public double random() {
			return LockWorld.this.random.nextDouble();
		}

		/** A key as this node sees it. */
		LockStore store(Key key) {
			return new NodeStore(this, key);
		}

	}

	/** A key of the store, reached from a node. */
	private final class NodeStore implements LockStore {

		private final Node node;

		private final Key key;

		NodeStore(Node node, Key key) {
			this.node = node;
			this.key = key;
		}

		@Override
		public void set(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
			if (this.key.equals(LOCK) && this.node.lease != null && this.node.loss == null
					&& this.node.lease.remainingOrOverdue() <= 0) {
				fail(this.node.name + " renews after its deadline");
			}
			LockWorld.this.requests.merge(this.key, 1, Integer::sum);
			log(() -> this.node.name + " sends SET " + this.key + " " + holder.toUtf8());
			call(this.node, new Command.Set(this.key.bytes(), holder, Condition.IF_ABSENT_OR_EQUAL, lease), null,
					timeout, (answer) -> {
						log(() -> this.node.name + " gets " + ((answer != null) ? answer.reply() : "nothing"));
						done(callback, answer, (reply) -> new SetResult(reply.reply() instanceof Reply.Ok,
								Objects.requireNonNull(reply.version())));
					});
		}

		@Override
		public void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback) {
			log(() -> this.node.name + " sends VDEL " + this.key + " " + holder.toUtf8());
			call(this.node, new Command.VDel(this.key.bytes(), holder), null, timeout, (answer) -> done(callback,
					answer, (reply) -> new DeleteResult(switch ((int) ((Reply.Count) reply.reply()).number()) {
						case 1 -> Outcome.DELETED;
						case 0 -> Outcome.ABSENT;
						default -> Outcome.DIFFERENT;
					}, reply.version())));
		}

		@Override
		public void read(Duration timeout, Callback<Bytes> callback) {
			call(this.node, new Command.Get(this.key.bytes()), null, timeout, (answer) -> done(callback, answer,
					(reply) -> (reply.reply() instanceof Reply.Value value) ? value.value() : Bytes.EMPTY));
		}

		private <T> void done(Callback<T> callback, @Nullable Answer answer, Function<Answer, T> result) {
			if (answer != null) {
				callback.done(result.apply(answer), null);
			}
			else {
				callback.done(null, new StateStoreOutcomeUnknownException("no reply"));
			}
		}

		@Override
		public Watch watch(Watcher watcher) {
			SimulatedWatch watch = new SimulatedWatch(this.node, this.key, watcher);
			this.node.watches.add(watch);
			at(networkDelay(), this.node, watch::reconnected);
			return watch;
		}

	}

	/** An observation: what is lost on the way is found out by reading, later. */
	private final class SimulatedWatch implements LockStore.Watch {

		private final long number = LockWorld.this.sequence++;

		private final Node node;

		private final Key key;

		private final LockStore.@Nullable Watcher watcher;

		private Version seen = Version.parse("0:0:none");

		private boolean registered;

		private boolean started;

		private boolean closed;

		SimulatedWatch(Node node, Key key, LockStore.@Nullable Watcher watcher) {
			this.node = node;
			this.key = key;
			this.watcher = watcher;
		}

		/** Observe, and read. */
		void reconnected() {
			if (this.closed || this.watcher == null) {
				return;
			}
			if (LockWorld.this.storeDown) {
				at(100 * MILLI, this.node, this::reconnected);
				return;
			}
			LockWorld.this.engine.apply(new Request<>(new Command.KeyNotify(this.key.bytes()), null, null, this));
			this.registered = true;
			Answer answer = LockWorld.this.engine
				.apply(new Request<>(new Command.Get(this.key.bytes()), null, null, this));
			at(networkDelay(), this.node, () -> {
				if (this.closed) {
					return;
				}
				boolean first = !this.started;
				this.started = true;
				if (answer.reply() instanceof Reply.Value value) {
					change(new KeyChange<>(this.key, Operation.SET, value.value(),
							Objects.requireNonNull(answer.version()), true));
				}
				else if (!first) {
					change(new KeyChange<>(this.key, Operation.DELETE, null, this.seen, true));
				}
				if (first) {
					this.watcher.started();
				}
			});
		}

		void notified(Notification change, Version version) {
			if (this.closed || this.watcher == null) {
				return;
			}
			if (chance(0.1)) {
				at(between(10, 4_000), this.node, this::reconnected);
				return;
			}
			KeyChange<Bytes> keyChange = (change instanceof Notification.Set set)
					? new KeyChange<>(this.key, Operation.SET, set.value(), version, false)
					: new KeyChange<>(this.key, Operation.DELETE, null, version, false);
			at(networkDelay(), this.node, () -> change(keyChange));
		}

		private void change(KeyChange<Bytes> change) {
			// In order and once, as the observation of a key promises.
			LockStore.Watcher watcher = Objects.requireNonNull(this.watcher);
			boolean news = change.version().compareTo(this.seen) > 0
					|| (change.resynchronised() && change.operation() == Operation.DELETE);
			if (!this.closed && news) {
				this.seen = change.version();
				log(() -> this.node.name + " is told of " + change);
				watcher.changed(change);
			}
		}

		@Override
		public boolean isActive() {
			return this.registered && this.started;
		}

		@Override
		public void close() {
			this.closed = true;
			LockWorld.this.engine.disconnected(this);
			this.node.watches.remove(this);
		}

	}

}
