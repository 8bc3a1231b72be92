package io.statestore.broker.engine;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Version;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/**
 * Compares the machine with a {@link NaiveStore}: random requests from several clients,
 * the passage of time, clocks that jump, and full stores.
 */
class EngineModelTests {

	private static final String[] KEYS = { "a", "b", "c", "dd" };

	private static final String[] VALUES = { "", "1", "22", "a longer value", "-9223372036854775807", "01" };

	private static final Requester[] CLIENTS = { Requester.anonymous("x"), Requester.anonymous("y"),
			new Requester("p", "x"), new Requester("p", "y"), new Requester("q", "x") };

	@Property
	void behavesLikeNaiveStore(@ForAll long seed) {
		new Run(new Random(seed)).run();
	}

	private static final Condition[] UNVERSIONED = { Condition.ALWAYS, Condition.IF_ABSENT,
			Condition.IF_ABSENT_OR_EQUAL };

	private static final class Run {

		private final Random random;

		private final ComparedStore compared;

		private final TestStore store;

		Run(Random random) {
			this.random = random;
			this.compared = new ComparedStore(switch (random.nextInt(3)) {
				case 0 -> Quota.UNLIMITED;
				case 1 -> new Quota(3, 30);
				default -> new Quota(3, 30, 1 + random.nextInt(2));
			});
			this.store = this.compared.store;
		}

		void run() {
			for (int i = 0; i < 300; i++) {
				passTime();
				step();
			}
		}

		private void passTime() {
			if (this.random.nextInt(3) == 0) {
				this.store.nanos += this.random.nextInt(20_000_000);
				this.store.wallMillis += this.random.nextInt(20);
			}
			if (this.random.nextInt(30) == 0) {
				this.store.wallMillis += this.random.nextInt(200_000) - 100_000;
			}
		}

		private void step() {
			switch (this.random.nextInt(12)) {
				case 0 -> this.compared.expire(1 + this.random.nextInt(3));
				default -> this.compared.apply(command(), this.store.timestamp(this.random), token(), pick(CLIENTS));
			}
		}

		private Command command() {
			Bytes key = Bytes.of(pick(KEYS));
			Bytes value = Bytes.of(pick(VALUES));
			Duration expiry = this.random.nextBoolean() ? null : Duration.ofMillis(1 + this.random.nextInt(60));
			List<Version> versions = this.compared.versions;
			return switch (this.random.nextInt(14)) {
				case 0, 1 -> new Command.Get(key);
				case 8 -> new Command.Ttl(key);
				case 9 -> new Command.Increment(key, this.random.nextInt(5) - 2, expiry);
				case 2 -> new Command.Del(key);
				case 3 -> new Command.VDel(key, value);
				case 4 -> new Command.Scan(Bytes.of("*"), null);
				case 5 -> new Command.Set(key, value, Condition.IF_ABSENT_OR_EQUAL, null, Bytes.of(pick(VALUES)));
				case 6, 7 -> new Command.Set(key, value, Condition.IF_VERSION, expiry,
						Bytes.of((versions.isEmpty() ? StateMachine.BEFORE_ALL
								: versions.get(versions.size() - 1 - this.random.nextInt(Math.min(4, versions.size()))))
							.toString()));
				default -> new Command.Set(key, value, pick(UNVERSIONED), expiry);
			};
		}

		private @Nullable String token() {
			List<Version> versions = this.compared.versions;
			return switch (this.random.nextInt(10)) {
				case 0 -> this.store.ahead(this.random.nextInt(120_000)).toString();
				case 1 -> "1:1";
				case 2 -> versions.isEmpty() ? null : this.compared.last.toPaddedString();
				case 3, 4 -> versions.isEmpty() ? null : versions.get(this.random.nextInt(versions.size())).toString();
				default -> null;
			};
		}

		private <T> T pick(T[] choices) {
			return choices[this.random.nextInt(choices.length)];
		}

	}

}
