package io.statestore.broker.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.statestore.broker.engine.NaiveStore.Expected;
import io.statestore.broker.engine.TestStore.Change;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Version;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random requests of several observers, passing time, clocks that jump, full stores: the
 * engine must do what the naive store does.
 */
class EngineModelTests {

	private static final String[] KEYS = { "a", "b", "c", "dd" };

	private static final String[] VALUES = { "", "1", "22", "a longer value" };

	private static final String[] OBSERVERS = { "x", "y", "z" };

	@Property(tries = 400)
	void theEngineDoesWhatTheNaiveStoreDoes(@ForAll long seed) {
		new Run(new Random(seed)).run();
	}

	private static final class Run {

		private final Random random;

		private final TestStore store;

		private final NaiveStore model;

		private final long origin;

		/** Versions given out, for tokens that make sense. */
		private final List<Version> versions = new ArrayList<>();

		private Version last = new Version(0, 0, "StateStore");

		Run(Random random) {
			this.random = random;
			Quota quota = random.nextBoolean() ? Quota.UNLIMITED : new Quota(3, 30);
			this.store = new TestStore(quota);
			this.model = new NaiveStore(quota);
			this.origin = this.store.nanos;
		}

		void run() {
			for (int i = 0; i < 300; i++) {
				passTime();
				this.model.wallMillis = this.store.wallMillis;
				this.model.millis = (this.store.nanos - this.origin) / 1_000_000;
				this.model.pastMillis = (this.store.nanos - this.origin) % 1_000_000 != 0;
				step();
				assertThat(this.store.engine.keyCount()).isEqualTo(this.model.size());
				assertThat(this.store.engine.byteCount()).isEqualTo(this.model.bytes());
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
				case 0 -> {
					while (this.store.engine.expire(1 + this.random.nextInt(3))) {
						assertThat(this.store.engine.nanosToNextDeadline()).isZero();
					}
					this.model.expire();
					assertSameChanges();
				}
				case 1 -> {
					String observer = pick(OBSERVERS);
					this.store.engine.disconnected(observer);
					this.model.disconnected(observer);
				}
				default -> request();
			}
		}

		private void request() {
			Request<Object> request = new Request<>(command(), timestamp(), token(), pick(OBSERVERS));
			Answer answer = this.store.engine.apply(request);
			Expected expected = this.model.apply(request);
			assertThat(answer.reply()).as("%s", request.command()).isEqualTo(expected.reply);
			assertSameChanges();
			Version version = answer.version();
			if (!expected.isNew) {
				assertThat(version).isEqualTo(expected.stored);
				return;
			}
			assertThat(version).isNotNull();
			// The change itself was told with this version, if anybody listened.
			assertThat(version).isGreaterThanOrEqualTo(this.last);
			assertThat(this.versions).doesNotContain(version);
			for (String clock : new String[] { request.timestamp(), request.fencingToken() }) {
				if (clock != null && request.command() instanceof Command.Set) {
					assertThat(version).isGreaterThan(Version.parse(clock));
				}
			}
			expected.tell(version);
			this.versions.add(version);
			this.last = version;
			this.model.merge(version);
		}

		private Command command() {
			Bytes key = Bytes.of(pick(KEYS));
			Bytes value = Bytes.of(pick(VALUES));
			return switch (this.random.nextInt(10)) {
				case 0, 1 -> new Command.Get(key);
				case 2 -> new Command.Del(key);
				case 3 -> new Command.VDel(key, value);
				case 4 -> new Command.KeyNotify(key);
				case 5 -> new Command.KeyNotifyStop(key);
				default -> new Command.Set(key, value, pick(Condition.values()),
						this.random.nextBoolean() ? null : Duration.ofMillis(1 + this.random.nextInt(60)));
			};
		}

		private @Nullable String timestamp() {
			return switch (this.random.nextInt(12)) {
				case 0 -> null;
				case 1 -> "malformed";
				case 2 -> this.store.ahead(60_001 + this.random.nextInt(10_000)).toString();
				case 3 -> this.store.ahead(60_000).toString();
				default -> this.store.ahead(this.random.nextInt(100) - 90).toPaddedString();
			};
		}

		private @Nullable String token() {
			return switch (this.random.nextInt(10)) {
				case 0 -> this.store.ahead(this.random.nextInt(120_000)).toString();
				case 1 -> "1:1";
				case 2 -> this.versions.isEmpty() ? null : this.last.toPaddedString();
				case 3, 4 -> this.versions.isEmpty() ? null
						: this.versions.get(this.random.nextInt(this.versions.size())).toString();
				default -> null;
			};
		}

		/** Of keys that expire at the same time, any may be the first. */
		private void assertSameChanges() {
			List<List<Object>> actual = new ArrayList<>();
			for (Change change : this.store.takeChanges()) {
				Set<Object> observers = new HashSet<>(change.observers());
				actual.add(List.of(change.key(), change.change(), observers));
				assertThat(change.version()).isGreaterThan(this.last);
				this.last = change.version();
				this.model.merge(this.last);
			}
			assertThat(actual).containsExactlyInAnyOrderElementsOf(this.model.changes);
			for (List<Object> change : actual) {
				if (change.get(1) instanceof Notification.Set) {
					assertThat(change).as("what a request did itself comes last")
						.isSameAs(actual.get(actual.size() - 1));
				}
			}
			this.model.changes.clear();
		}

		private <T> T pick(T[] choices) {
			return choices[this.random.nextInt(choices.length)];
		}

	}

}
