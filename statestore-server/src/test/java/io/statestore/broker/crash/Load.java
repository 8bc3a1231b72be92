package io.statestore.broker.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Replies;
import io.statestore.test.RawPublish;
import org.awaitility.Awaitility;

/** Several clients that send requests and can be held back during a restart. */
final class Load implements AutoCloseable {

	static final int CLIENTS = 4;

	private static final int END_SECONDS = 30;

	/**
	 * How far one client's clock is ahead. Versions follow it, so a store that forgets
	 * them would repeat versions although its own clock advances.
	 */
	private static final long AHEAD_MILLIS = 30_000;

	private static final String AUDITOR = "auditor";

	private final int port;

	private final Recorder recorder = new Recorder();

	private final Gate gate = new Gate();

	private final List<LoadClient> clients = new ArrayList<>();

	private final List<Future<Void>> results = new ArrayList<>();

	private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);

	/**
	 * Creates clients, which do not connect yet.
	 * @param changesSessions whether the clients change their sessions between requests
	 */
	Load(int port, boolean changesSessions, long seed) {
		this.port = port;
		for (int i = 0; i < CLIENTS; i++) {
			LoadClient client = new LoadClient("client-" + i, port, i % 2 == 0, (i == 0) ? AHEAD_MILLIS : 0,
					changesSessions, this.gate, this.recorder, seed + i);
			this.clients.add(client);
			this.results.add(this.threads.submit(client));
		}
	}

	Recorder recorder() {
		return this.recorder;
	}

	/** Lets clients connect. */
	void resume() {
		this.gate.open();
	}

	/**
	 * Waits until clients have ended the given number of requests, or the broker has
	 * ended.
	 */
	void await(int requests, StandaloneProcess broker) {
		int target = this.recorder.count() + requests;
		Awaitility.await("requests").until(() -> {
			for (Future<Void> result : this.results) {
				if (result.isDone()) {
					result.get();
				}
			}
			return this.recorder.count() >= target || !broker.isAlive();
		});
	}

	/** Prevents clients from connecting. Connected clients continue. */
	void pause() {
		this.gate.close();
	}

	/** Waits until all requests are answered, and ends all clients. */
	void finish() throws Exception {
		this.clients.forEach(LoadClient::finish);
		for (int i = 0; i < CLIENTS; i++) {
			try {
				this.results.get(i).get(END_SECONDS, TimeUnit.SECONDS);
			}
			catch (TimeoutException ex) {
				throw new AssertionError("Not answered: " + this.clients.get(i), ex);
			}
		}
	}

	/** Reads all keys while no client writes, and records their values. */
	void audit() {
		try (StoreClient auditor = StoreClient.connect(this.port, AUDITOR)) {
			for (Bytes key : Workload.KEYS) {
				long invoked = System.nanoTime();
				RawPublish reply = auditor.call("GET", key.toUtf8());
				this.recorder.add(new Operation(AUDITOR, new Command.Get(key), null, invoked, System.nanoTime(),
						Replies.decode(Bytes.copyOf(reply.payload)), Pending.version(reply)));
			}
		}
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
