package io.statestore.broker.engine;

import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.engine.NaiveStore.Expected;
import io.statestore.broker.engine.TestStore.Change;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** A state machine that is compared with a {@link NaiveStore} after every call. */
final class ComparedStore {

	final TestStore store;

	private final NaiveStore model;

	/** Versions of all changes so far. */
	final List<Version> versions = new ArrayList<>();

	/** Latest version of a change. */
	Version last = StateMachine.BEFORE_ALL;

	ComparedStore(Quota quota) {
		this.store = new TestStore(quota);
		this.model = new NaiveStore(quota);
	}

	Answer apply(Command command, @Nullable String timestamp, @Nullable String token, Requester requester) {
		setTime();
		Answer answer = this.store.apply(command, timestamp, token, requester);
		Expected expected = this.model.apply(command, timestamp, token, requester);
		assertReply(command, answer.reply(), expected.reply);
		assertSameChanges();
		assertVersion(answer.version(), expected, (command instanceof Command.Set) ? timestamp : null, token);
		assertSameSize();
		return answer;
	}

	void expire(int limit) {
		setTime();
		while (this.store.expire(limit)) {
			assertThat(this.store.machine.nextDeadline()).isLessThanOrEqualTo(this.store.nanos);
		}
		this.model.expire();
		assertSameChanges();
		assertSameSize();
	}

	private void setTime() {
		this.model.wallMillis = this.store.wallMillis;
		this.model.millis = this.store.nanos / 1_000_000;
		this.model.pastMillis = this.store.nanos % 1_000_000 != 0;
	}

	private static void assertReply(Command command, Reply actual, Reply expected) {
		if (command instanceof Command.Scan && actual instanceof Reply.Page page) {
			assertThat(page.keys()).doesNotHaveDuplicates().isSubsetOf(((Reply.Page) expected).keys());
		}
		else if (command instanceof Command.Scan) {
			assertThat(actual).isEqualTo(new Reply.Error(ErrorReason.SYNTAX_ERROR));
		}
		else {
			assertThat(actual).as("%s", command).isEqualTo(expected);
		}
	}

	private void assertVersion(@Nullable Version version, Expected expected, @Nullable String... clocks) {
		if (!expected.isNew) {
			assertThat(version).isEqualTo(expected.stored);
			return;
		}
		assertThat(version).isNotNull();
		// The change itself was reported earlier
		assertThat(version).isEqualTo(this.last);
		assertThat(this.versions).doesNotContain(version);
		for (String clock : clocks) {
			if (clock != null) {
				assertThat(version).isGreaterThan(Version.parse(clock));
			}
		}
		expected.setVersion(version);
		this.versions.add(version);
	}

	/** Compares changes in any order, because keys may expire at the same time. */
	private void assertSameChanges() {
		List<NaiveStore.Change> actual = new ArrayList<>();
		for (Change change : this.store.takeChanges()) {
			actual.add(new NaiveStore.Change(change.key(), change.value(), change.author()));
			assertThat(change.version()).isGreaterThan(this.last);
			this.last = change.version();
			this.model.merge(this.last);
		}
		assertThat(actual).containsExactlyInAnyOrderElementsOf(this.model.changes);
		for (NaiveStore.Change change : actual) {
			if (change.author() != null) {
				assertThat(change).as("the change of the request itself").isSameAs(actual.get(actual.size() - 1));
			}
		}
		this.model.changes.clear();
	}

	private void assertSameSize() {
		assertThat(this.store.machine.keyCount()).isEqualTo(this.model.size());
		assertThat(this.store.machine.byteCount()).isEqualTo(this.model.bytes());
	}

}
