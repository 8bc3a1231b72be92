package io.statestore.broker.crash;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Commands of a client, with values, conditions, versions, expiries, leases, fencing
 * tokens, and counter increments. Each value is stored by only one request, except for
 * leases, which are renewed, and counters.
 */
public final class Workload {

	private static final List<Bytes> PLAIN = keys("plain", 6);

	private static final List<Bytes> EXPIRING = keys("expiring", 3);

	private static final List<Bytes> LEASES = keys("lease", 2);

	private static final List<Bytes> FENCED = keys("fenced", 3);

	/** Fenced keys that seldom change, so that a recovery reads them from a snapshot. */
	private static final List<Bytes> RARE = keys("rare", 2);

	/** Keys with a number that clients increment concurrently. */
	private static final List<Bytes> COUNTERS = keys("counter", 2);

	static final List<Bytes> KEYS = Stream.of(PLAIN, EXPIRING, LEASES, FENCED, RARE, COUNTERS)
		.flatMap(List::stream)
		.toList();

	private final String client;

	private final Random random;

	/** Returns the current suffix of all keys. */
	private final Supplier<String> suffix;

	private int lastValue;

	/** Latest value of each key that this client has read, or knows to be stored. */
	private final Map<Bytes, Bytes> seen = new HashMap<>();

	/** Latest version of each key in a reply. */
	private final Map<Bytes, Version> seenVersions = new HashMap<>();

	/** Counter values, while this client knows their versions. */
	private final Map<Bytes, Long> counts = new HashMap<>();

	/** Versions that serve as fencing tokens. */
	private final List<Version> versions = new ArrayList<>();

	private final Map<Bytes, Bytes> heldLeases = new HashMap<>();

	/** Leases with a request in flight. */
	private final Set<Bytes> busyLeases = new HashSet<>();

	Workload(String client, Random random) {
		this(client, random, () -> "");
	}

	/**
	 * Creates a workload on keys that are replaced with other keys from time to time, so
	 * that a long history consists of many short histories.
	 * @param suffix returns the current suffix of all keys
	 */
	public Workload(String client, Random random, Supplier<String> suffix) {
		this.client = client;
		this.random = random;
		this.suffix = suffix;
	}

	/** Returns all keys with the given suffix. */
	public static List<Bytes> keys(String suffix) {
		return KEYS.stream().map((key) -> Bytes.of(key.toUtf8() + suffix)).toList();
	}

	/**
	 * Returns the keys with the given suffix that do not expire and do not need a fencing
	 * token.
	 */
	public static List<Bytes> plainKeys(String suffix) {
		return PLAIN.stream().map((key) -> Bytes.of(key.toUtf8() + suffix)).toList();
	}

	/**
	 * A command with its fencing token.
	 *
	 * @param command the command
	 * @param token the token, {@code null} for none
	 */
	public record Request(Command command, @Nullable Version token) {
	}

	public Request next() {
		if (this.random.nextInt(30) == 0) {
			return rare(any(RARE));
		}
		if (this.random.nextInt(8) == 0) {
			return new Request(increment(any(COUNTERS)), null);
		}
		int kind = this.random.nextInt(10);
		if (kind < 4) {
			return new Request(plain(any(PLAIN)), null);
		}
		if (kind < 6) {
			return new Request(expiring(any(EXPIRING)), null);
		}
		return (kind < 8) ? new Request(lease(any(LEASES)), null) : fenced(any(FENCED));
	}

	private Command plain(Bytes key) {
		return switch (this.random.nextInt(10)) {
			case 0 -> new Command.Del(key);
			case 1 -> new Command.VDel(key, this.seen.getOrDefault(key, Bytes.of("unseen")));
			case 8, 9 -> replace(key, newValue(), null);
			case 2, 3 -> new Command.Set(key, newValue(), Condition.IF_ABSENT, null);
			case 4, 5 -> new Command.Set(key, newValue());
			default -> new Command.Get(key);
		};
	}

	/** Returns a REPLACE, or a GET while no version of the key is known. */
	private Command replace(Bytes key, Bytes value, @Nullable Duration expiry) {
		Version expected = this.seenVersions.get(key);
		return (expected != null)
				? new Command.Set(key, value, Condition.IF_VERSION, expiry, Bytes.of(expected.toString()))
				: new Command.Get(key);
	}

	/** Creates a counter, reads it, or increments it. */
	private Command increment(Bytes key) {
		Long count = this.counts.get(key);
		if (this.random.nextInt(3) == 0) {
			return new Command.Increment(key, 1);
		}
		if (count != null) {
			return replace(key, Bytes.of(String.valueOf(count + 1)), null);
		}
		return (this.random.nextInt(8) == 0) ? new Command.Set(key, Bytes.of("0"), Condition.IF_ABSENT, null)
				: new Command.Get(key);
	}

	static boolean isCounter(Bytes key) {
		return key.toUtf8().startsWith("counter");
	}

	private Command expiring(Bytes key) {
		return switch (this.random.nextInt(6)) {
			case 0 -> new Command.Set(key, newValue(), Condition.ALWAYS, expiry());
			case 1 -> new Command.Set(key, newValue(), Condition.IF_ABSENT, expiry());
			case 2 -> replace(key, newValue(), null);
			case 3 -> replace(key, newValue(), expiry());
			default -> new Command.Get(key);
		};
	}

	private Command lease(Bytes key) {
		if (!this.busyLeases.add(key)) {
			return new Command.Get(key);
		}
		Bytes held = this.heldLeases.get(key);
		if (held == null) {
			return new Command.Set(key, newValue(), Condition.IF_ABSENT, expiry());
		}
		return (this.random.nextInt(4) == 0) ? new Command.VDel(key, held)
				: new Command.Set(key, held, Condition.IF_ABSENT_OR_EQUAL, expiry());
	}

	private Request fenced(Bytes key) {
		Version token = switch (this.random.nextInt(6)) {
			case 0 -> null;
			case 1 -> version(() -> this.random.nextInt(this.versions.size()));
			default -> version(() -> this.versions.size() - 1);
		};
		return switch (this.random.nextInt(5)) {
			case 0 -> new Request(new Command.Get(key), null);
			case 1 -> new Request(new Command.Del(key), token);
			case 2 -> new Request(replace(key, newValue(), null), token);
			default -> new Request(new Command.Set(key, newValue()), token);
		};
	}

	/** Returns a write that is stale if a write with a newer token has preceded it. */
	private Request rare(Bytes key) {
		boolean newest = this.random.nextInt(30) == 0;
		Version token = version(
				() -> newest ? this.versions.size() - 1 : this.random.nextInt(1 + this.versions.size() / 10));
		return new Request((token != null) ? new Command.Set(key, newValue()) : new Command.Get(key), token);
	}

	private @Nullable Version version(Supplier<Integer> index) {
		return this.versions.isEmpty() ? null : this.versions.get(index.get());
	}

	/** Returns an expiry that may end before, during, or after a restart. */
	private Duration expiry() {
		return Duration.ofMillis(200 + this.random.nextInt(this.random.nextBoolean() ? 1_500 : 12_000));
	}

	private Bytes newValue() {
		return Bytes.of(this.client + '-' + ++this.lastValue);
	}

	private Bytes any(List<Bytes> keys) {
		Bytes key = keys.get(this.random.nextInt(keys.size()));
		String end = this.suffix.get();
		return end.isEmpty() ? key : Bytes.of(key.toUtf8() + end);
	}

	/** Learns from a request that has ended, with or without a reply. */
	public void ended(Operation operation) {
		Bytes key = operation.key();
		if (this.busyLeases.contains(key) && !(operation.command() instanceof Command.Get)) {
			this.busyLeases.remove(key);
			this.heldLeases.remove(key);
			if (operation.set() != null && operation.hasChanged()) {
				this.heldLeases.put(key, operation.set().value());
			}
		}
		if (operation.reply() instanceof Reply.Value found) {
			this.seen.put(key, found.value());
		}
		if (operation.version() != null) {
			this.versions.add(operation.version());
			this.seenVersions.put(key, operation.version());
		}
		if (isCounter(key)) {
			count(operation);
		}
	}

	/** Learns a counter's value and version, or that the known values are outdated. */
	private void count(Operation operation) {
		Bytes value = (operation.reply() instanceof Reply.Value found) ? found.value() : null;
		if (operation.hasChanged()) {
			value = operation.storedValue();
		}
		this.counts.remove(operation.key());
		if (value != null) {
			this.counts.put(operation.key(), Long.valueOf(value.toUtf8()));
		}
	}

	private static List<Bytes> keys(String prefix, int count) {
		return IntStream.range(0, count).mapToObj((number) -> Bytes.of(prefix + '-' + number)).toList();
	}

}
