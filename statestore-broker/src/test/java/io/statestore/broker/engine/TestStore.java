package io.statestore.broker.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** Engine with clocks that tests control. */
final class TestStore {

	static final long START = 1_700_000_000_000L;

	static final Reply OK = new Reply.Ok();

	static final Reply MISSING = new Reply.Missing();

	static final Reply NOT_APPLIED = Reply.Count.NOT_APPLIED;

	static final Reply NOTHING = new Reply.Count(0);

	static final Reply ONE = new Reply.Count(1);

	final Object me = "me";

	final List<Change> changes = new ArrayList<>();

	final StateStoreEngine<Object> engine;

	long wallMillis = START;

	/** Starts near the overflow, as the clock of a machine may. */
	long nanos = Long.MAX_VALUE - 5_000_000;

	TestStore() {
		this(Quota.UNLIMITED);
	}

	TestStore(Quota quota) {
		this.engine = new StateStoreEngine<>(() -> this.wallMillis, () -> this.nanos, quota, this::record);
	}

	private void record(Bytes key, Notification change, Version version, Collection<Object> observers) {
		Set<Object> copy = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
		copy.addAll(observers);
		this.changes.add(new Change(key, change, version, copy));
	}

	/** Advances both clocks without removing expired keys. */
	void pass(Duration time) {
		this.nanos += time.toNanos();
		this.wallMillis += time.toMillis();
	}

	Answer apply(Command command, @Nullable String timestamp, @Nullable String fencingToken) {
		return this.engine.apply(new Request<>(command, timestamp, fencingToken, this.me));
	}

	/** Executes a command with a valid timestamp. */
	Answer apply(Command command) {
		return apply(command, now().toString(), null);
	}

	Answer apply(Command command, Version fencingToken) {
		return apply(command, now().toString(), fencingToken.toString());
	}

	Version now() {
		return new Version(this.wallMillis, 0, "client");
	}

	/** Returns a timestamp ahead of the clock of the engine. */
	Version ahead(long millis) {
		return new Version(this.wallMillis + millis, 0, "client");
	}

	Answer set(String key, String value) {
		return apply(set(key, value, Condition.ALWAYS, null));
	}

	Answer set(String key, String value, Duration expiry) {
		return apply(set(key, value, Condition.ALWAYS, expiry));
	}

	Answer get(String key) {
		return apply(new Command.Get(Bytes.of(key)));
	}

	Answer observe(String key) {
		return apply(new Command.KeyNotify(Bytes.of(key)));
	}

	/** Returns the changes since the last call. */
	List<Change> takeChanges() {
		List<Change> result = List.copyOf(this.changes);
		this.changes.clear();
		return result;
	}

	static Command.Set set(String key, String value, Condition condition, @Nullable Duration expiry) {
		return new Command.Set(Bytes.of(key), Bytes.of(value), condition, expiry);
	}

	static Command del(String key) {
		return new Command.Del(Bytes.of(key));
	}

	static Command vdel(String key, String value) {
		return new Command.VDel(Bytes.of(key), Bytes.of(value));
	}

	static Version versionOf(Answer answer) {
		assertThat(answer.version()).isNotNull();
		return answer.version();
	}

	static Reply value(String value) {
		return new Reply.Value(Bytes.of(value));
	}

	static Reply error(ErrorReason reason) {
		return new Reply.Error(reason);
	}

	record Change(Bytes key, Notification change, Version version, Set<Object> observers) {
	}

}
