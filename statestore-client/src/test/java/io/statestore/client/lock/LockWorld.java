package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.Request;
import io.statestore.broker.engine.StateStoreEngine;
import io.statestore.client.DeleteResult;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.Entry;
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

	static final Key SUCCESSOR = SuccessorKey.of(LOCK);

	static final Bytes PROTECTED = Bytes.of("protected");

	static final Duration LEASE = Duration.ofSeconds(2);

	/** Two clocks differ by less than one in a hundred. */
	private static final double MAX_DRIFT = 0.004;

	private static final long MILLI = 1_000_000;

	/** Several round trips of at most 40 ms. */
	private static final long MAX_DETECTION = 250 * MILLI;

	private static final long START_OF_WALL_TIME = 1_700_000_000_000L;

	private final PriorityQueue<Event> queue = new PriorityQueue<>();

	private final List<String> trace = new ArrayList<>();

	private final List<Node> nodes = new ArrayList<>();

	final Random random;

	private final Scenario scenario;

	private final boolean tracing;

	private final double storeRate;

	private final SimulatedWatch auditor;

	private StateStoreEngine<SimulatedWatch> engine;

	private long now;

	private long sequence;

	private boolean storeDown;

	/** No further faults occur. */
	private boolean calm;

	private int calmDelayMicros;

	/** Holders whose key was deleted or forgotten, and when. */
	private final Map<Bytes, Breach> breaches = new HashMap<>();

	/** When the store executed requests, by holder and version. */
	private final Map<String, Long> grants = new HashMap<>();

	int breachedTenures;

	int recreations;

	private int intruders;

	/** Token of the last fenced write that the store took. */
	private @Nullable Version lastToken;

	int acceptedWrites;

	int refusedWrites;

	int losses;

	int tenures;

	/** For how long nobody held the lock though somebody waited, in calm times. */
	long longestUnserved;

	/** From when on a free lock must be given to a waiter soon. */
	private long servedFrom = Long.MAX_VALUE;

	/** Since when that is so, or {@link Long#MAX_VALUE}. */
	private long unservedSince = Long.MAX_VALUE;

	/** Of SET, by key. */
	final Map<Key, Integer> requests = new HashMap<>();

	LockWorld(long seed, Scenario scenario, boolean tracing) {
		this.tracing = tracing;
		this.random = new Random(seed);
		this.scenario = scenario;
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

	/** Whether the network fails at this moment, in scenarios with a lossy network. */
	private boolean mishap(double probability) {
		return this.scenario.lossy() && chance(probability);
	}

	long between(long minMillis, long maxMillis) {
		return (minMillis + (long) (this.random.nextDouble() * (maxMillis - minMillis))) * MILLI;
	}

	private long networkDelay() {
		if (this.calm && this.calmDelayMicros > 0) {
			return this.calmDelayMicros * (500 + this.random.nextInt(1000));
		}
		return mishap(0.03) ? between(100, 3 * LEASE.toMillis())
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
		throw new AssertionError(
				problem + "\n"
						+ String
							.join("\n",
									this.trace.subList(
											Math.max(0,
													this.trace.size()
															- Integer.getInteger("lock.simulation.lines", 80)),
											this.trace.size())));
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

	/** Causes faults until it is calm. */
	void unleashFaults(long calmAt) {
		repeat(calmAt, 2_000, 30_000, this::restartStore);
		repeat(calmAt, 500, 10_000, this::disconnectOne);
		if (this.scenario.operator()) {
			repeat(calmAt, 300, 6_000, this::breakIn);
		}
		at(calmAt, null, () -> {
			log(() -> "calm");
			this.calm = true;
			this.storeDown = false;
			// What was delayed for long has arrived by then.
			this.servedFrom = this.now + 4 * LEASE.toNanos();
			this.nodes.forEach(Node::resume);
		});
	}

	private void repeat(long until, long minMillis, long maxMillis, Runnable fault) {
		at(between(minMillis, maxMillis), null, () -> {
			if (this.now < until) {
				fault.run();
				repeat(until, minMillis, maxMillis, fault);
			}
		});
	}

	private void disconnectOne() {
		if (!this.nodes.isEmpty()) {
			this.nodes.get(this.random.nextInt(this.nodes.size())).disconnect(between(1, 2 * LEASE.toMillis()));
		}
	}

	private void restartStore() {
		log(() -> "store goes down");
		this.storeDown = true;
		if (this.scenario.forgets()) {
			breach();
			this.engine = newEngine();
			// The tokens of the keys are lost with the keys.
			this.lastToken = null;
		}
		long outage = between(5, 3_000);
		List.copyOf(this.nodes).forEach((node) -> node.disconnect(outage + networkDelay()));
		at(outage, null, () -> {
			log(() -> "store is back");
			this.storeDown = false;
		});
	}

	/**
	 * An operator deletes the key of the lock. Often another client then holds the lock
	 * for a while.
	 */
	private void breakIn() {
		if (this.storeDown) {
			return;
		}
		log(() -> "operator deletes the lock");
		breach();
		apply(new Command.Del(LOCK.bytes()), null);
		if (this.random.nextBoolean()) {
			at(between(0, 50), null, () -> intrude(Bytes.of("intruder#" + this.intruders++)));
		}
	}

	private void intrude(Bytes holder) {
		if (this.storeDown) {
			return;
		}
		Answer answer = apply(new Command.Set(LOCK.bytes(), holder, Condition.IF_ABSENT, LEASE), null);
		if (answer.reply() instanceof Reply.Ok) {
			Version token = Objects.requireNonNull(answer.version());
			log(() -> holder.toUtf8() + " holds the lock, token " + token);
			if (this.random.nextBoolean()) {
				written("intruder", token,
						apply(new Command.Set(PROTECTED, holder, Condition.ALWAYS, null), token.toString()));
			}
			at(between(0, 1_000), null, () -> {
				if (!this.storeDown) {
					log(() -> holder.toUtf8() + " releases the lock");
					apply(new Command.VDel(LOCK.bytes(), holder), null);
				}
			});
		}
	}

	/** The key of the lock is about to be gone before its holder releases it. */
	private void breach() {
		Answer stored = apply(new Command.Get(LOCK.bytes()), null);
		if (stored.reply() instanceof Reply.Value value) {
			this.breaches.put(value.value(), new Breach(this.now));
			this.breachedTenures++;
		}
	}

	private Answer apply(Command command, @Nullable String token) {
		return this.engine.apply(new Request<>(command, this.auditor.node.timestamp(), token, this.auditor));
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
			this.nodes.forEach(Node::checkBreach);
			checkServed();
		}
	}

	/**
	 * Two tenures are valid at once only if the key of the earlier one was deleted or
	 * forgotten.
	 */
	private void checkExclusive() {
		Node holder = null;
		for (Node node : this.nodes) {
			if (node.isValid() && node.breach() == null) {
				if (holder != null) {
					fail("Two holders at once: " + holder.name + " and " + node.name);
				}
				holder = node;
			}
		}
	}

	private void checkServed() {
		if (this.now < this.servedFrom || this.nodes.stream().noneMatch((node) -> node.waiting) || isTaken(LOCK)) {
			this.unservedSince = Long.MAX_VALUE;
			return;
		}
		this.unservedSince = Math.min(this.unservedSince, this.now);
		this.longestUnserved = Math.max(this.longestUnserved, this.now - this.unservedSince);
	}

	/** Whether the store holds anything under a key. */
	boolean isTaken(Key key) {
		return apply(new Command.Get(key.bytes()), null).reply() instanceof Reply.Value;
	}

	private void written(String writer, Version token, Answer answer) {
		if (answer.reply() instanceof Reply.Ok) {
			this.acceptedWrites++;
			log(() -> writer + " wrote with token " + token);
			if (this.lastToken != null && this.lastToken.compareTo(token) > 0) {
				fail("Token " + token + " was accepted after " + this.lastToken);
			}
			this.lastToken = token;
		}
		else {
			this.refusedWrites++;
		}
	}

	/**
	 * Faults of a world beside delays, restarts, pauses, and deaths.
	 *
	 * @param lossy whether the network loses and repeats messages, and delays some of
	 * them for longer than a lease
	 * @param forgets whether the store is empty after a restart
	 * @param operator whether an operator deletes the key of the lock now and then. Then
	 * a notification is only lost with its connection, as the protocol promises
	 */
	record Scenario(boolean lossy, boolean forgets, boolean operator) {

		static final Scenario CALM = new Scenario(false, false, false);

	}

	/**
	 * The key of a holder was deleted or forgotten.
	 *
	 * @param at when
	 */
	private record Breach(long at) {
	}

	/** An event at a time, on a node or in the world. */
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

	/** A request on its way: waiting for a connection, sent, or finished. */
	private final class Call {

		private final Node node;

		private final Command command;

		private final @Nullable Version token;

		private final Consumer<@Nullable Answer> reply;

		private final boolean renewal;

		private final String timestamp;

		/** Reply of the store, once it has executed the request. */
		private @Nullable Answer answer;

		private boolean done;

		/** When it was sent first, on which connection. */
		private long sentAt = Long.MAX_VALUE;

		private int sentOn = -1;

		/** Since when the lock was observed on that connection. */
		private long observedFrom = Long.MAX_VALUE;

		Call(Node node, Command command, @Nullable Version token, boolean renewal, Consumer<@Nullable Answer> reply) {
			this.node = node;
			this.command = command;
			this.token = token;
			this.renewal = renewal;
			this.reply = reply;
			this.timestamp = node.timestamp();
		}

		void send() {
			this.sentAt = LockWorld.this.now;
			this.sentOn = this.node.connection;
			this.node.watches.stream()
				.filter((watch) -> watch.observes(LOCK, this.sentOn))
				.forEach((watch) -> this.observedFrom = Math.min(this.observedFrom, watch.registeredAt));
			if (this.sentOn != this.node.established) {
				// The connection is lost, which the client does not know yet.
				return;
			}
			int copies = mishap(0.05) ? 0 : mishap(0.05) ? 2 : 1;
			for (int copy = 0; copy < copies; copy++) {
				// A request may be executed after its connection was lost.
				boolean late = LockWorld.this.random.nextBoolean();
				at(this.node.requestDelay(), null, () -> {
					if (!storeDown() && (late || this.node.established == this.sentOn)) {
						execute();
					}
				});
			}
		}

		private boolean storeDown() {
			return LockWorld.this.storeDown;
		}

		private void execute() {
			Answer executed = this.answer;
			if (executed != null) {
				// The store knows the request and repeats its reply.
				this.node.deliver(this.sentOn, () -> finish(executed));
				return;
			}
			boolean creates = this.renewal && !isTaken(LOCK)
					&& ((Command.Set) this.command).value().equals(this.node.holder);
			Answer answer = LockWorld.this.engine.apply(new Request<>(this.command, this.timestamp,
					(this.token != null) ? this.token.toString() : null, this.node.observer));
			this.answer = answer;
			if (this.token != null) {
				written(this.node.name, this.token, answer);
			}
			if (this.command instanceof Command.Set set && answer.reply() instanceof Reply.Ok) {
				LockWorld.this.grants.put(set.value().toUtf8() + answer.version(), LockWorld.this.now);
			}
			Breach breach = creates ? this.node.breach() : null;
			if (breach != null) {
				checkRecreation(breach);
			}
			if (!mishap(0.05)) {
				this.node.deliver(this.sentOn, () -> {
					boolean awaited = !this.done;
					finish(answer);
					if (breach != null && awaited) {
						checkCleanup();
					}
				});
			}
		}

		/** The reply to a renewal that brought the key back must end the tenure. */
		private void checkCleanup() {
			if (this.node.isValid()) {
				fail(this.node.name + " relies on a key that its renewal created again");
			}
			if (!this.node.deleted.contains(((Command.Set) this.command).value())) {
				fail(this.node.name + " leaves a key that its renewal created again");
			}
		}

		/**
		 * A renewal may only bring a deleted key back if it was sent before the deletion,
		 * or while the notification of it was on its way.
		 */
		private void checkRecreation(Breach breach) {
			log(() -> this.node.name + " has created the lock again");
			LockWorld.this.recreations++;
			if (Math.min(this.sentAt, this.observedFrom) > breach.at()) {
				fail(this.node.name + " sent a renewal without knowing that its key is unchanged");
			}
		}

		void finish(@Nullable Answer answer) {
			if (!this.done) {
				this.done = true;
				this.node.calls.remove(this);
				this.node.outbox.remove(this);
				this.reply.accept(answer);
			}
		}

		/** The client sends reads again on the next connection, and nothing else. */
		void connectionLost() {
			if (this.command instanceof Command.Get) {
				this.node.calls.remove(this);
				this.node.outbox.add(this);
			}
			else {
				finish(null);
			}
		}

	}

	/** A process with a clock of its own. */
	final class Node implements LockTime {

		private final List<Runnable> missed = new ArrayList<>();

		/** Events of the network among them, which stay in order. */
		private final Deque<Runnable> missedFromNetwork = new ArrayDeque<>();

		private final List<SimulatedWatch> watches = new ArrayList<>();

		/** Requests that wait for a connection, in the order they were made. */
		private final Deque<Call> outbox = new ArrayDeque<>();

		/** Requests that were sent and not answered. */
		private final List<Call> calls = new ArrayList<>();

		private final SimulatedWatch observer = new SimulatedWatch(this, LOCK, null);

		private final double rate = rate();

		private final long offset = LockWorld.this.random.nextLong();

		final String name;

		/** Whether a caller of this process waits for the lock. */
		boolean waiting;

		private boolean paused;

		private boolean dead;

		/** Number of the connection there is, whether the client knows of it or not. */
		private int established;

		/** Number of the connection that the client uses, or -1. */
		private int connection;

		private boolean offline;

		/** Holders whose keys this process has asked the store to delete. */
		private final Set<Bytes> deleted = new HashSet<>();

		/** When the latest request of calm times arrives. */
		private long lastRequest;

		/** When the latest message of the store arrives. */
		private long lastArrival;

		/** Since when the client has worked without a fault. */
		private long undisturbedSince;

		@Nullable Lease lease;

		@Nullable Bytes holder;

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

		/** Runs an event of the network, in order with the others. */
		private void runFromNetwork(Runnable action) {
			if (this.paused) {
				this.missedFromNetwork.add(action);
				this.missed.add(() -> run(this.missedFromNetwork.remove()));
			}
			else {
				run(action);
			}
		}

		/** Delivers a message of the store, in the order they were sent. */
		void deliver(int connection, Runnable action) {
			this.lastArrival = Math.max(this.lastArrival, LockWorld.this.now + networkDelay());
			at(this.lastArrival - LockWorld.this.now, null, () -> {
				if (this.established == connection) {
					runFromNetwork(() -> {
						if (this.connection == connection) {
							action.run();
						}
					});
				}
			});
		}

		/** Returns a delay that reorders requests, except in calm times. */
		private long requestDelay() {
			long delay = networkDelay();
			if (LockWorld.this.calm) {
				this.lastRequest = Math.max(this.lastRequest, LockWorld.this.now + delay);
				delay = this.lastRequest - LockWorld.this.now;
			}
			return delay;
		}

		/** Loses the connection. The client learns of it as soon as it runs. */
		void disconnect(long nanos) {
			if (this.offline || this.dead) {
				return;
			}
			log(() -> this.name + " is offline for " + nanos / MILLI + " ms");
			this.offline = true;
			this.established++;
			this.watches.forEach(LockWorld.this.engine::disconnected);
			runFromNetwork(() -> {
				this.connection = -1;
				List.copyOf(this.calls).forEach(Call::connectionLost);
				List.copyOf(this.watches).forEach(SimulatedWatch::interrupted);
			});
			at(nanos, null, this::reconnect);
		}

		private void reconnect() {
			if (LockWorld.this.storeDown) {
				at(between(1, 100), null, this::reconnect);
				return;
			}
			this.offline = false;
			this.lastArrival = LockWorld.this.now;
			int established = this.established;
			runFromNetwork(() -> {
				log(() -> this.name + " is online");
				this.undisturbedSince = LockWorld.this.now;
				this.connection = established;
				// What waits goes first, before any observation.
				List<Call> waiting = new ArrayList<>(this.outbox);
				this.outbox.clear();
				this.calls.addAll(waiting);
				waiting.forEach(Call::send);
				List.copyOf(this.watches).forEach(SimulatedWatch::register);
			});
		}

		private Call call(Command command, @Nullable Version token, Duration timeout, boolean renewal,
				Consumer<@Nullable Answer> reply) {
			Call call = new Call(this, command, token, renewal, reply);
			if (this.connection >= 0) {
				this.calls.add(call);
				call.send();
			}
			else {
				this.outbox.add(call);
			}
			schedule(timeout, () -> call.finish(null));
			return call;
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
				this.undisturbedSince = LockWorld.this.now;
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

		/** How the key of the present tenure was deleted, {@code null} if it was not. */
		private @Nullable Breach breach() {
			Breach breach = (this.holder != null) ? LockWorld.this.breaches.get(this.holder) : null;
			if (breach == null || this.lease == null || this.holder == null) {
				return null;
			}
			long grantedAt = LockWorld.this.grants.getOrDefault(this.holder.toUtf8() + this.lease.token(), 0L);
			return (grantedAt <= breach.at()) ? breach : null;
		}

		void checkReported() {
			if (!this.paused && this.lease != null && this.loss == null && !this.lease.isValid()
					&& this.lease.remainingOrOverdue() < -MILLI) {
				fail(this.name + " was not told of its loss");
			}
		}

		/**
		 * No renewal counts that the store executed after the deletion. Without mishaps
		 * the next renewal finds the deletion, as does the next connection.
		 */
		void checkBreach() {
			Breach breach = isValid() ? breach() : null;
			if (breach == null) {
				return;
			}
			if (LockWorld.this.now - breach.at() > LEASE.toNanos()) {
				fail(this.name + " still relies on a key that was deleted at " + breach.at() / MILLI);
			}
			long since = Math.max(breach.at(), this.undisturbedSince);
			boolean undisturbed = !LockWorld.this.scenario.lossy() && !this.paused && this.connection >= 0
					&& this.connection == this.established;
			if (undisturbed && LockWorld.this.now - since > LEASE.toNanos() / 3 + MAX_DETECTION) {
				fail(this.name + " did not find that its key was deleted at " + breach.at() / MILLI);
			}
		}

		/** A clock for versions, which jumps. */
		private String timestamp() {
			long wall = START_OF_WALL_TIME + LockWorld.this.now / MILLI + between(-20_000, 20_000) / MILLI;
			return wall + ":0:" + this.name;
		}

		void write(Version token, Consumer<Boolean> done) {
			Bytes value = Bytes.of(this.name);
			call(new Command.Set(PROTECTED, value, Condition.ALWAYS, null), token, LEASE, false,
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
		public void acquire(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
			set(holder, lease, timeout, false, callback);
		}

		@Override
		public Runnable renew(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
			if (this.key.equals(LOCK) && this.node.lease != null && this.node.loss == null
					&& this.node.lease.remainingOrOverdue() <= 0) {
				fail(this.node.name + " renews after its deadline");
			}
			return set(holder, lease, timeout, this.key.equals(LOCK), callback);
		}

		private Runnable set(Bytes holder, Duration lease, Duration timeout, boolean renewal,
				Callback<SetResult> callback) {
			LockWorld.this.requests.merge(this.key, 1, Integer::sum);
			log(() -> this.node.name + " sends SET " + this.key + " " + holder.toUtf8());
			Call call = this.node.call(new Command.Set(this.key.bytes(), holder, Condition.IF_ABSENT_OR_EQUAL, lease),
					null, timeout, renewal, (answer) -> {
						log(() -> this.node.name + " gets " + ((answer != null) ? answer.reply() : "nothing"));
						done(callback, answer, (reply) -> new SetResult(reply.reply() instanceof Reply.Ok,
								Objects.requireNonNull(reply.version())));
					});
			return () -> call.finish(null);
		}

		@Override
		public void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback) {
			log(() -> this.node.name + " sends VDEL " + this.key + " " + holder.toUtf8());
			this.node.deleted.add(holder);
			this.node.call(new Command.VDel(this.key.bytes(), holder), null, timeout, false, (answer) -> done(callback,
					answer, (reply) -> new DeleteResult(switch ((int) ((Reply.Count) reply.reply()).number()) {
						case 1 -> Outcome.DELETED;
						case 0 -> Outcome.ABSENT;
						default -> Outcome.DIFFERENT;
					}, reply.version())));
		}

		@Override
		public void read(Duration timeout, Callback<Optional<Entry<Bytes>>> callback) {
			log(() -> this.node.name + " sends GET " + this.key);
			this.node.call(new Command.Get(this.key.bytes()), null, timeout, false,
					(answer) -> done(callback, answer, this::entry));
		}

		private Optional<Entry<Bytes>> entry(Answer answer) {
			return (answer.reply() instanceof Reply.Value value)
					? Optional.of(new Entry<>(this.key, value.value(), Objects.requireNonNull(answer.version())))
					: Optional.empty();
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
			watch.register();
			return watch;
		}

	}

	/** An observation, which begins again with every connection. */
	private final class SimulatedWatch implements LockStore.Watch {

		private final long number = LockWorld.this.sequence++;

		private final Node node;

		private final Key key;

		private final LockStore.@Nullable Watcher watcher;

		private Version seen = Version.parse("0:0:none");

		/** The connection on which the store knows of it, or -1, and since when. */
		private int registeredOn = -1;

		private long registeredAt;

		private boolean started;

		private boolean active;

		private boolean closed;

		SimulatedWatch(Node node, Key key, LockStore.@Nullable Watcher watcher) {
			this.node = node;
			this.key = key;
			this.watcher = watcher;
		}

		/** Whether the store notifies this watch of changes over that connection. */
		boolean observes(Key key, int connection) {
			return this.key.equals(key) && this.registeredOn == connection;
		}

		/** Observes and reads, and again if a message is lost. */
		void register() {
			if (this.closed || this.watcher == null || this.node.connection < 0) {
				return;
			}
			int connection = this.node.connection;
			if (mishap(0.1)) {
				at(between(10, 1_000), this.node, () -> registerAgain(connection));
				return;
			}
			at(networkDelay(), null, () -> {
				if (!this.closed && !this.node.dead && this.node.established == connection
						&& !LockWorld.this.storeDown) {
					registered(connection);
				}
			});
		}

		private void registerAgain(int connection) {
			if (this.node.connection == connection) {
				register();
			}
		}

		private void registered(int connection) {
			LockWorld.this.engine.apply(new Request<>(new Command.KeyNotify(this.key.bytes()), null, null, this));
			if (this.registeredOn != connection) {
				this.registeredOn = connection;
				this.registeredAt = LockWorld.this.now;
			}
			Answer answer = LockWorld.this.engine
				.apply(new Request<>(new Command.Get(this.key.bytes()), null, null, this));
			this.node.deliver(connection, () -> read(answer));
		}

		private void read(Answer answer) {
			if (this.closed) {
				return;
			}
			if (answer.reply() instanceof Reply.Value value) {
				change(new KeyChange<>(this.key, Operation.SET, value.value(), Objects.requireNonNull(answer.version()),
						true));
			}
			else if (this.started) {
				change(new KeyChange<>(this.key, Operation.DELETE, null, this.seen, true));
			}
			boolean first = !this.started;
			boolean resumed = !this.active;
			this.started = true;
			this.active = true;
			LockStore.Watcher watcher = Objects.requireNonNull(this.watcher);
			if (first && !this.closed) {
				watcher.started();
			}
			else if (resumed && !this.closed) {
				watcher.resumed();
			}
		}

		void interrupted() {
			if (this.active && this.watcher != null) {
				this.active = false;
				this.watcher.interrupted();
			}
		}

		void notified(Notification change, Version version) {
			int connection = this.registeredOn;
			if (this.closed || this.watcher == null || connection != this.node.established) {
				return;
			}
			if (mishap(0.1)) {
				if (LockWorld.this.scenario.operator()) {
					this.node.disconnect(between(1, 500));
				}
				else {
					at(between(10, 4_000), this.node, this::register);
				}
				return;
			}
			KeyChange<Bytes> keyChange = (change instanceof Notification.Set set)
					? new KeyChange<>(this.key, Operation.SET, set.value(), version, false)
					: new KeyChange<>(this.key, Operation.DELETE, null, version, false);
			this.node.deliver(connection, () -> change(keyChange));
		}

		private void change(KeyChange<Bytes> change) {
			// In order and once, as the observation of a key promises.
			LockStore.Watcher watcher = Objects.requireNonNull(this.watcher);
			boolean news = change.version().compareTo(this.seen) > 0
					|| (change.resynchronised() && change.operation() == Operation.DELETE)
					// The first read of a connection counts even if the store went back.
					|| (!this.active && !change.version().equals(this.seen));
			if (this.closed || !news) {
				return;
			}
			this.seen = change.version();
			log(() -> this.node.name + " is told of " + change);
			watcher.changed(change);
			Lease lease = this.node.lease;
			if (this.key.equals(LOCK) && change.operation() == Operation.DELETE && !change.resynchronised()
					&& lease != null && change.version().compareTo(lease.token().version()) > 0 && lease.isValid()) {
				fail(this.node.name + " is valid after it was told of a deletion");
			}
		}

		@Override
		public boolean isActive() {
			return this.active;
		}

		@Override
		public void close() {
			this.closed = true;
			LockWorld.this.engine.disconnected(this);
			this.node.watches.remove(this);
		}

	}

}
