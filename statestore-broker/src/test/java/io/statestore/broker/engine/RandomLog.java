package io.statestore.broker.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.statestore.broker.session.Applied.Connected;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.SessionChange;
import io.statestore.broker.session.Subscription;
import io.statestore.broker.session.Will;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Random entries of all types, applied to a {@link TestStore}: several clients that
 * repeat requests, phases in which the store grows and shrinks, the passage of time,
 * clocks that jump, full stores, reads, MQTT sessions, and restarts.
 */
final class RandomLog {

	static final List<String> PRINCIPALS = List.of("ada", "bob", "\u00e4 */+#");

	private final Random random;

	private final int keys;

	final TestStore store;

	/** Probability of a deletion in this phase, in percent. */
	private int deletions;

	private Version last = StateMachine.BEFORE_ALL;

	/** Numbers of the latest connections, by client id. */
	private final Map<String, Long> connections = new HashMap<>();

	RandomLog(long seed, int keys) {
		this.random = new Random(seed);
		this.keys = keys;
		this.store = new TestStore(quota());
		start();
	}

	private Quota quota() {
		Quota quota = switch (this.random.nextInt(4)) {
			case 0 -> Quota.UNLIMITED;
			case 1 -> new Quota(Long.MAX_VALUE, Long.MAX_VALUE, 1 + this.random.nextInt(this.keys));
			default -> new Quota(1 + this.keys / 2, 10 + this.keys * (1L + this.random.nextInt(20)),
					1 + this.random.nextInt(this.keys));
		};
		return this.random.nextBoolean() ? quota
				: quota.withSessions(1 + this.random.nextInt(20_000), 1 + this.random.nextInt(10_000));
	}

	private void start() {
		this.store.start(quota(), this.random.nextLong(), this.random.nextInt(40_000),
				this.random.nextBoolean() ? this.store.ahead(this.random.nextInt(1_000)) : null,
				this.random.nextInt(4) > 0);
	}

	void run(int steps) {
		for (int i = 0; i < steps; i++) {
			step();
		}
	}

	void step() {
		passTime();
		int choice = this.random.nextInt(1_000);
		if (choice < 2) {
			start();
		}
		else if (choice < 10) {
			this.store.append(new LogEntry.Issue(this.store.nanos, this.store.wallMillis, null));
		}
		else if (choice < 100) {
			this.store.expire(1 + this.random.nextInt(30));
		}
		else if (choice < 200) {
			changeSessions();
		}
		else if (choice < 300) {
			this.store.apply((choice < 290) ? new Command.Get(key()) : new Command.Scan(Bytes.of("*"), null),
					this.store.timestamp(this.random), null);
		}
		else {
			write();
		}
		if (this.random.nextInt(1 + 2 * this.keys) == 0) {
			this.deletions = this.random.nextInt(100);
		}
	}

	private void passTime() {
		if (this.random.nextInt(3) == 0) {
			this.store.nanos += this.random.nextInt(20_000_000);
			this.store.wallMillis += this.random.nextInt(20);
		}
		if (this.random.nextInt(100) == 0) {
			this.store.wallMillis += this.random.nextInt(200_000) - 100_000;
		}
		if (this.random.nextInt(1_000) == 0) {
			this.store.nanos += this.random.nextLong(400_000_000_000L);
		}
	}

	private void write() {
		LogEntry.Write write = this.store.write(command(), this.store.timestamp(this.random), token(), requester(),
				this.random.nextInt(this.random.nextBoolean() ? 20 : 1_000_000), this.random.nextBoolean());
		Duration expiry = (this.random.nextInt(1_000) > 0) ? null : Duration.ofSeconds(this.random.nextInt(400));
		Answer answer = this.store.append(new LogEntry.Write(write.logTime(), write.wallMillis(), write.seen(),
				write.command(), write.timestamp(), write.fencingToken(), write.requester(), write.correlationData(),
				this.random.nextInt(3), expiry, write.persistent()));
		if (answer.version() != null) {
			this.last = answer.version();
		}
	}

	private void changeSessions() {
		String clientId = "c" + this.random.nextInt(6);
		long connection = this.connections.getOrDefault(clientId, 0L) - ((this.random.nextInt(10) == 0) ? 1 : 0);
		SessionChange change = switch (this.random.nextInt(8)) {
			case 0 -> new SessionChange.Connect(clientId, PRINCIPALS.get(this.random.nextInt(3)),
					this.random.nextInt(4) == 0, this.random.nextInt(30),
					this.random.nextBoolean() ? new Will(message(clientId), this.random.nextInt(20), 10) : null, true);
			case 1 ->
				new SessionChange.Disconnect(clientId, connection, this.random.nextInt(60), this.random.nextBoolean());
			// Does not subscribe to retained messages, because their snapshot depends on
			// which objects share a message.
			case 2 -> new SessionChange.Subscribe(clientId, connection,
					List.of(new Subscription(this.random.nextBoolean() ? "#" : "$share/g/+", 2 | 2 << 4, 0)));
			case 3 -> new SessionChange.Acknowledge(clientId, connection, this.random.nextInt(3) == 0,
					this.random.longs(3, 0, 20).toArray());
			case 4 -> new SessionChange.Expire(this.store.nanos, List.of("c1"));
			default -> new SessionChange.Publish(message(clientId), PRINCIPALS.get(this.random.nextInt(3)), connection,
					this.random.nextInt(3), Map.of("$share/g/+", clientId), false, 0);
		};
		this.store.append(new LogEntry.Session(this.store.nanos, this.store.wallMillis, null, change));
		Connected connected = this.store.machine.applied().connected();
		if (connected != null) {
			this.connections.put(clientId, connected.number());
		}
	}

	private Message message(String clientId) {
		return new Message("t" + this.random.nextInt(3), new byte[this.random.nextInt(3)],
				new byte[this.random.nextInt(300)], this.random.nextInt(3), this.random.nextInt(3) == 0,
				this.random.nextBoolean() ? Message.NEVER : this.store.nanos + this.random.nextInt(1_000_000_000),
				clientId);
	}

	private Requester requester() {
		String clientId = "client-" + this.random.nextInt(1 + this.random.nextInt(40));
		return this.random.nextBoolean() ? Requester.anonymous(clientId)
				: new Requester(PRINCIPALS.get(this.random.nextInt(PRINCIPALS.size())), clientId);
	}

	private Command.Write command() {
		if (this.random.nextInt(100) < this.deletions) {
			return (this.random.nextInt(4) > 0) ? new Command.Del(key()) : new Command.VDel(key(), value());
		}
		if (this.random.nextInt(10) == 0) {
			return new Command.Increment(key(), this.random.nextInt(), expiry());
		}
		Condition condition = Condition.values()[this.random.nextInt(4)];
		boolean expecting = condition == Condition.IF_ABSENT_OR_EQUAL && this.random.nextBoolean();
		Bytes version = (condition == Condition.IF_VERSION) ? Bytes.of(this.last.toString()) : null;
		return new Command.Set(key(), value(), condition, expiry(), expecting ? value() : version);
	}

	private Bytes key() {
		return Bytes.of("key-" + this.random.nextInt(this.keys));
	}

	private Bytes value() {
		return Bytes.of("v".repeat(this.random.nextInt(1 + this.random.nextInt(20))));
	}

	private @Nullable Duration expiry() {
		return switch (this.random.nextInt(4)) {
			case 0 -> Duration.ofMillis(1 + this.random.nextInt(60));
			case 1 -> Duration.ofMillis(1 + (this.random.nextLong() >>> (1 + this.random.nextInt(62))));
			default -> null;
		};
	}

	private @Nullable String token() {
		return switch (this.random.nextInt(20)) {
			case 0 -> this.store.ahead(this.random.nextInt(120_000)).toString();
			case 1 -> "1:1";
			case 2, 3 -> this.last.toPaddedString();
			case 4 -> this.last.wallMillis() + ":0:node-\u00e4";
			default -> null;
		};
	}

}
