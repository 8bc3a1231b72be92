package io.statestore.client.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

import io.statestore.broker.engine.Answer;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.DeleteResult;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatch.State;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;

/** Key of the simulated store, accessed from a simulated process. */
final class SimulatedLockStore implements LockStore {

	private final LockWorld world;

	private final SimulatedNode node;

	private final Key key;

	SimulatedLockStore(SimulatedNode node, Key key) {
		this.world = node.world;
		this.node = node;
		this.key = key;
	}

	@Override
	public void acquire(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
		set(holder, lease, timeout, false, callback);
	}

	@Override
	public Runnable renew(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
		if (this.key.equals(LockWorld.LOCK) && this.node.lease != null && this.node.loss == null
				&& this.node.lease.status().nanosLeft() <= 0) {
			this.world.fail(this.node.name + " renews after its deadline");
		}
		return set(holder, lease, timeout, this.key.equals(LockWorld.LOCK), callback);
	}

	private Runnable set(Bytes holder, Duration lease, Duration timeout, boolean renewal,
			Callback<SetResult> callback) {
		this.world.requests.merge(this.key, 1, Integer::sum);
		this.world.log(() -> this.node.name + " sends SET " + this.key + " " + holder.toUtf8());
		SimulatedCall call = this.node.call(
				new Command.Set(this.key.bytes(), holder, Condition.IF_ABSENT_OR_EQUAL, lease), null, timeout, renewal,
				(answer) -> {
					this.world.log(() -> this.node.name + " gets " + ((answer != null) ? answer.reply() : "nothing"));
					done(callback, answer, (reply) -> new SetResult(reply.reply() instanceof Reply.Ok,
							Objects.requireNonNull(reply.version())));
				});
		return () -> call.finish(null);
	}

	@Override
	public void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback) {
		this.world.log(() -> this.node.name + " sends VDEL " + this.key + " " + holder.toUtf8());
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
		this.world.log(() -> this.node.name + " sends GET " + this.key);
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
	public Runnable watch(Consumer<State> states, Consumer<KeyChange<Bytes>> changes) {
		SimulatedWatch watch = new SimulatedWatch(this.node, this.key, states, changes);
		this.node.watches.add(watch);
		watch.register();
		return watch::close;
	}

}
