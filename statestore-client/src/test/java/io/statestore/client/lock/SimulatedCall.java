package io.statestore.client.lock;

import java.util.Objects;
import java.util.function.Consumer;

import io.statestore.broker.engine.Answer;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Request of a simulated process: waiting for a connection, in flight, or finished. */
final class SimulatedCall {

	private final LockWorld world;

	private final SimulatedNode node;

	private final Command command;

	private final @Nullable Version token;

	private final Consumer<@Nullable Answer> reply;

	private final boolean renewal;

	private final String timestamp;

	/** Reply of the store, once it has executed the request. */
	private @Nullable Answer answer;

	private boolean done;

	/** Time when the request was sent. */
	private long sentAt = Long.MAX_VALUE;

	/** Number of the connection on which the request was sent, or -1. */
	private int sentOn = -1;

	/** Time from which the lock was watched on that connection. */
	private long watchedFrom = Long.MAX_VALUE;

	SimulatedCall(SimulatedNode node, Command command, @Nullable Version token, boolean renewal,
			Consumer<@Nullable Answer> reply) {
		this.world = node.world;
		this.node = node;
		this.command = command;
		this.token = token;
		this.renewal = renewal;
		this.reply = reply;
		this.timestamp = node.timestamp();
	}

	void send() {
		this.sentAt = this.world.now();
		this.sentOn = this.node.connection;
		this.node.watches.stream()
			.filter((watch) -> watch.watches(LockWorld.LOCK, this.sentOn))
			.forEach((watch) -> this.watchedFrom = Math.min(this.watchedFrom, watch.registeredAt));
		if (this.sentOn != this.node.established) {
			// The connection is lost, but the client has not detected it yet.
			return;
		}
		int copies = this.world.mishap(0.05) ? 0 : this.world.mishap(0.05) ? 2 : 1;
		for (int copy = 0; copy < copies; copy++) {
			// A request may be executed after its connection was lost.
			boolean late = this.world.random.nextBoolean();
			this.world.at(this.node.requestDelay(), null, () -> {
				if (!this.world.storeDown && (late || this.node.established == this.sentOn)) {
					execute();
				}
			});
		}
	}

	private void execute() {
		Answer executed = this.answer;
		if (executed != null) {
			// The store knows the request and repeats its reply.
			this.node.deliver(this.sentOn, () -> finish(executed));
			return;
		}
		boolean creates = this.renewal && !this.world.isTaken(LockWorld.LOCK)
				&& ((Command.Set) this.command).value().equals(this.node.holder);
		Answer answer = this.world.broker.apply(this.command, this.timestamp,
				(this.token != null) ? this.token.toString() : null);
		this.answer = answer;
		if (this.token != null) {
			this.world.checks.recordWrite(this.node.name, this.token, answer);
		}
		if (this.command instanceof Command.Set set && answer.reply() instanceof Reply.Ok) {
			this.world.checks.grants.put(new LockChecks.Grant(set.value(), Objects.requireNonNull(answer.version())),
					this.world.now());
		}
		LockChecks.Breach breach = creates ? this.node.breach() : null;
		if (breach != null) {
			checkRecreation(breach);
		}
		if (!this.world.mishap(0.05)) {
			this.node.deliver(this.sentOn, () -> {
				boolean awaited = !this.done;
				finish(answer);
				if (breach != null && awaited) {
					checkCleanup();
				}
			});
		}
	}

	/** Checks that the reply to a renewal that created the key again ends the tenure. */
	private void checkCleanup() {
		if (this.node.isValid()) {
			this.world.fail(this.node.name + " relies on a key that its renewal created again");
		}
		if (!this.node.deleted.contains(((Command.Set) this.command).value())) {
			this.world.fail(this.node.name + " leaves a key that its renewal created again");
		}
	}

	/**
	 * Checks that a renewal that created a deleted key again was sent before the
	 * deletion, or while the notification of the deletion was in flight.
	 */
	private void checkRecreation(LockChecks.Breach breach) {
		this.world.log(() -> this.node.name + " has created the lock again");
		this.world.checks.recreations++;
		if (Math.min(this.sentAt, this.watchedFrom) > breach.at()) {
			this.world.fail(this.node.name + " sent a renewal without knowing that its key is unchanged");
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

	/** Sends a read again on the next connection, and fails any other request. */
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
