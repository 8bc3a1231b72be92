package io.statestore.broker.mqtt;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.statestore.broker.mqtt.ConnectionCounts.OpenConnection;
import io.statestore.broker.server.ClientLog;
import org.slf4j.LoggerFactory;

/**
 * Executor of the handshake of one connection, which passes its computations to threads
 * for all handshakes. After the handshake, only a renegotiation requires computations. It
 * ends the connection: TLS 1.2 allows clients to request expensive handshakes without
 * limit. Used on the event loop of the connection only.
 */
final class HandshakeTasks implements Executor {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(HandshakeTasks.class));

	private final OpenConnection connection;

	private final Executor threads;

	private boolean finished;

	HandshakeTasks(OpenConnection connection, Executor threads) {
		this.connection = connection;
		this.threads = threads;
	}

	@Override
	public void execute(Runnable task) {
		if (this.finished) {
			clientLog.warn(
					"Closed a connection from {} that requested a TLS renegotiation. "
							+ "Disable renegotiation in the client, or use TLS 1.3",
					this.connection.address().getHostAddress());
			this.connection.abort();
			return;
		}
		this.connection.setBusy(true);
		try {
			this.threads.execute(() -> run(task));
		}
		catch (RejectedExecutionException ex) {
			// The broker is stopping.
			this.connection.abort();
		}
	}

	private void run(Runnable task) {
		try {
			task.run();
		}
		finally {
			this.connection.setBusy(false);
		}
	}

	/** Handles the end of the handshake. */
	void finish() {
		this.finished = true;
	}

}
