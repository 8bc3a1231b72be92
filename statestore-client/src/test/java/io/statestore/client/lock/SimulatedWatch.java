package io.statestore.client.lock;

import java.util.Objects;
import java.util.function.Consumer;

import io.statestore.broker.engine.Answer;
import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatch.State;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Simulated watch of a key, which is registered again on every connection. */
final class SimulatedWatch {

	private final LockWorld world;

	/** Order of notifications among watches. */
	final long number;

	final SimulatedNode node;

	private final Key key;

	private final Consumer<State> states;

	private final Consumer<KeyChange<Bytes>> changes;

	/** Version of the latest change. */
	private Version seen = Version.parse("0:0:none");

	private @Nullable Bytes seenValue;

	/** Number of the connection on which the store has registered it, or -1. */
	private int registeredOn = -1;

	long registeredAt;

	private boolean started;

	private boolean active;

	private boolean closed;

	SimulatedWatch(SimulatedNode node, Key key, Consumer<State> states, Consumer<KeyChange<Bytes>> changes) {
		this.world = node.world;
		this.number = this.world.nextNumber();
		this.node = node;
		this.key = key;
		this.states = states;
		this.changes = changes;
	}

	/** Returns whether the store notifies this watch of changes on a connection. */
	boolean watches(Key key, int connection) {
		return this.key.equals(key) && this.registeredOn == connection;
	}

	/** Registers the watch and reads the key, again if a message is lost. */
	void register() {
		if (this.closed || this.node.connection < 0) {
			return;
		}
		int connection = this.node.connection;
		if (this.world.mishap(0.1)) {
			this.world.at(this.world.between(10, 1_000), this.node, () -> registerAgain(connection));
			return;
		}
		this.world.at(this.world.networkDelay(), null, () -> {
			if (!this.closed && !this.node.dead && this.node.established == connection && !this.world.storeDown) {
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
		this.world.broker.watch(this.key.bytes(), this);
		if (this.registeredOn != connection) {
			this.registeredOn = connection;
			this.registeredAt = this.world.now();
		}
		Answer answer = this.world.broker.apply(new Command.Get(this.key.bytes()), null, null);
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
		if (first && !this.closed) {
			this.states.accept(State.ACTIVE);
		}
		else if (resumed && !this.closed) {
			this.states.accept(State.ACTIVE);
		}
	}

	void interrupted() {
		if (this.active) {
			this.active = false;
			this.states.accept(State.INTERRUPTED);
		}
	}

	void notified(Notification change, Version version) {
		int connection = this.registeredOn;
		if (this.closed || connection != this.node.established) {
			return;
		}
		if (this.world.mishap(0.1)) {
			if (this.world.faults.operator()) {
				this.node.disconnect(this.world.between(1, 500));
			}
			else {
				this.world.at(this.world.between(10, 4_000), this.node, this::register);
			}
			return;
		}
		KeyChange<Bytes> keyChange = (change instanceof Notification.Set set)
				? new KeyChange<>(this.key, Operation.SET, set.value(), version, false)
				: new KeyChange<>(this.key, Operation.DELETE, null, version, false);
		this.node.deliver(connection, () -> change(keyChange));
	}

	private void change(KeyChange<Bytes> change) {
		// Each change is passed on once and in order, as watches guarantee.
		boolean isNew = change.version().compareTo(this.seen) > 0
				|| (change.resynchronized() && change.operation() == Operation.DELETE)
				// The first read of a connection counts, even if the store has an older
				// version, or the same one for another value.
				|| (!this.active
						&& !(change.version().equals(this.seen) && Objects.equals(change.value(), this.seenValue)));
		if (this.closed || !isNew) {
			return;
		}
		this.seen = change.version();
		this.seenValue = change.value();
		this.world.log(() -> this.node.name + " is notified of " + change);
		this.changes.accept(change);
		Lease lease = this.node.lease;
		if (this.key.equals(LockWorld.LOCK) && change.operation() == Operation.DELETE && !change.resynchronized()
				&& lease != null && change.version().compareTo(lease.status().token().version()) > 0
				&& lease.status().isValid()) {
			this.world.fail(this.node.name + " is valid after it was notified of a deletion");
		}
	}

	void close() {
		this.closed = true;
		this.world.broker.disconnected(this);
		this.node.watches.remove(this);
	}

}
