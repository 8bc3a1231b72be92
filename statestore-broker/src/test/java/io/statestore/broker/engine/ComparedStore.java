package io.statestore.broker.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.statestore.broker.engine.NaiveStore.Expected;
import io.statestore.broker.engine.TestStore.Change;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** Engine that is compared with a {@link NaiveStore} after every call. */
final class ComparedStore {

	final TestStore store;

	private final NaiveStore model;

	private final long origin;

	/** Versions of all changes so far. */
	final List<Version> versions = new ArrayList<>();

	/** Latest version of a change. */
	Version last = StateStoreEngine.BEFORE_ALL;

	ComparedStore(Quota quota) {
		this.store = new TestStore(quota);
		this.model = new NaiveStore(quota);
		this.origin = this.store.nanos;
	}

	Answer apply(Command command, @Nullable String timestamp, @Nullable String token, Object observer) {
		setTime();
		Request<Object> request = new Request<>(command, timestamp, token, observer);
		Answer answer = this.store.engine.apply(request);
		Expected expected = this.model.apply(request);
		assertReply(command, answer.reply(), expected.reply);
		assertSameChanges();
		assertVersion(request, answer.version(), expected);
		assertSameSize();
		return answer;
	}

	void expire(int limit) {
		setTime();
		while (this.store.engine.expire(limit)) {
			assertThat(this.store.engine.nanosToNextDeadline()).isZero();
		}
		this.model.expire();
		assertSameChanges();
		assertSameSize();
	}

	void disconnect(Object observer) {
		this.store.engine.disconnected(observer);
		this.model.disconnected(observer);
	}

	private void setTime() {
		this.model.wallMillis = this.store.wallMillis;
		this.model.millis = (this.store.nanos - this.origin) / 1_000_000;
		this.model.pastMillis = (this.store.nanos - this.origin) % 1_000_000 != 0;
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

	private void assertVersion(Request<Object> request, @Nullable Version version, Expected expected) {
		if (!expected.isNew) {
			assertThat(version).isEqualTo(expected.stored);
			return;
		}
		assertThat(version).isNotNull();
		// Equal if observers were notified of this change
		assertThat(version).isGreaterThanOrEqualTo(this.last);
		assertThat(this.versions).doesNotContain(version);
		for (String clock : new String[] { request.timestamp(), request.fencingToken() }) {
			if (clock != null && request.command() instanceof Command.Set) {
				assertThat(version).isGreaterThan(Version.parse(clock));
			}
		}
		expected.setVersion(version);
		this.versions.add(version);
		this.last = version;
		this.model.merge(version);
	}

	/** Compares changes in any order, because keys may expire at the same time. */
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
				assertThat(change).as("the change of the request itself").isSameAs(actual.get(actual.size() - 1));
			}
		}
		this.model.changes.clear();
	}

	private void assertSameSize() {
		assertThat(this.store.engine.keyCount()).isEqualTo(this.model.size());
		assertThat(this.store.engine.byteCount()).isEqualTo(this.model.bytes());
	}

}
