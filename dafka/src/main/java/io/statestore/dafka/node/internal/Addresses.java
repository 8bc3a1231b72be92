package io.statestore.dafka.node.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Resolver for the host names in beacons, on separate threads. JeroMQ would resolve names
 * on the thread of the node, and again on its I/O thread with each reconnect. A failing
 * lookup may take seconds. Used by the thread of the node.
 */
final class Addresses implements AutoCloseable {

	private static final int THREADS = 4;

	private static final int MAX_WAITING = 256;

	private final Queue<Candidate> resolved = new ConcurrentLinkedQueue<>();

	private final ThreadPoolExecutor executor = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(MAX_WAITING), (task) -> {
				Thread thread = new Thread(task, "dafka-resolver");
				thread.setDaemon(true);
				return thread;
			});

	private final HostResolver resolver;

	/** Candidates that {@link #resolved()} has not returned yet. */
	private int unfinished;

	/** Creates a resolver that uses the name service of the operating system. */
	public Addresses() {
		this(HostResolver.SYSTEM);
	}

	Addresses(HostResolver resolver) {
		this.resolver = resolver;
		this.executor.allowCoreThreadTimeOut(true);
	}

	/**
	 * Resolves the endpoint of a candidate, immediately if it is an IP address. Drops the
	 * candidate if too many others are waiting.
	 * @return the candidate with its address, or {@code null} if {@link #resolved()} will
	 * return it later
	 */
	@Nullable Candidate resolve(Candidate candidate) {
		String endpoint = candidate.endpoint();
		String host = candidate.host();
		String port = endpoint.substring(endpoint.lastIndexOf(':'));
		if (HostResolver.isAddress(host)) {
			return candidate.at("tcp://" + host + port);
		}
		try {
			this.executor.execute(() -> this.resolved.add(candidate.at(address(host, port))));
			this.unfinished++;
		}
		catch (RejectedExecutionException ex) {
			// Dropped, and retried with the next beacon.
		}
		return null;
	}

	/** Removes and returns a resolved candidate, {@code null} if there is none. */
	@Nullable Candidate resolved() {
		Candidate candidate = this.resolved.poll();
		if (candidate != null) {
			this.unfinished--;
		}
		return candidate;
	}

	/** Returns whether candidates are being resolved, or wait for {@link #resolved()}. */
	boolean isBusy() {
		return this.unfinished > 0;
	}

	private @Nullable String address(String host, String port) {
		String address = this.resolver.resolve(host);
		return (address != null) ? "tcp://" + address + port : null;
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
