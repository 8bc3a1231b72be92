package io.statestore.broker.gateway;

import java.util.concurrent.TimeUnit;

import io.netty.channel.EventLoop;
import io.statestore.broker.packet.LoopTasks;

/**
 * Schedules the notifications that resume watches and update stale keys. Runs only while
 * requests are served and the outbox has room. Used only on the event loop.
 */
final class Resynchronizer {

	/**
	 * Maximum number of keys per round. Brokers drop notifications for clients that fall
	 * too far behind.
	 */
	private static final int KEYS_AT_ONCE = 50;

	private static final int MAX_BACKLOG = 1_000;

	private static final long INTERVAL_MILLIS = 10;

	/** Number of rounds to skip after a failure that no acknowledgment will resolve. */
	private static final int PAUSE_ROUNDS = 100;

	private static final double LOAD_TO_BEGIN = 0.5;

	private static final double LOAD_TO_CONTINUE = 0.75;

	private final EventLoop loop;

	private final LoopTasks tasks;

	private final BrokerLink link;

	private final GatewayClients clients;

	private boolean scheduled;

	/** Whether a notification was refused or could not be queued in the latest round. */
	private boolean failed;

	private int pause;

	Resynchronizer(EventLoop loop, LoopTasks tasks, BrokerLink link, GatewayClients clients) {
		this.loop = loop;
		this.tasks = tasks;
		this.link = link;
		this.clients = clients;
	}

	/** Starts rounds, which continue until no key remains. */
	void start() {
		if (!this.scheduled) {
			this.scheduled = true;
			this.loop.schedule(() -> this.tasks.execute(this::run), INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	/**
	 * Ends the current round because a notification was not sent.
	 * @param pause whether to pause, because no acknowledgment will resolve the failure
	 */
	void missed(boolean pause) {
		this.failed = true;
		this.pause = pause ? PAUSE_ROUNDS : this.pause;
		start();
	}

	private void run() {
		this.scheduled = false;
		this.failed = false;
		if (this.pause > 0) {
			this.pause--;
			start();
		}
		else if (!this.link.isServing() || this.link.outbox().load() >= LOAD_TO_BEGIN
				|| this.link.outbox().size() >= MAX_BACKLOG || resume()) {
			start();
		}
	}

	/** Runs a round and returns whether keys remain. */
	private boolean resume() {
		boolean more = true;
		for (int i = 0; i < KEYS_AT_ONCE && more && !this.failed; i++) {
			more = this.clients.resumeNext() && this.link.outbox().load() < LOAD_TO_CONTINUE;
		}
		return this.clients.isBehind();
	}

}
