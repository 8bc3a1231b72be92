package io.statestore.client.lock;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.watch.TestClient;
import io.statestore.protocol.Version;

/**
 * Program of a {@link WorkerProcess}. Takes commands from its input, and reports each
 * step before and after it, so that the reports remain complete if it dies at any moment.
 */
public final class LockWorker {

	static final String LOCK = "lock";

	static final String COUNTER = "counter";

	private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();

	private final Random random = new Random();

	private final OutputStream reports;

	private final String name;

	private final TestClient client;

	private final FencedLock lock;

	private long sequence;

	private LockWorker(OutputStream reports, String name, int port, Duration lease) {
		this.reports = reports;
		this.name = name;
		this.client = new TestClient(port).start();
		this.lock = new StateStoreLockRegistry(this.client.template,
				LockOptions.DEFAULT.withLease(lease).withHolderName(name))
			.obtain(LOCK);
	}

	/**
	 * Runs a worker until it is told to stop.
	 * @param arguments name, port, lease in milliseconds
	 */
	public static void main(String[] arguments) throws Exception {
		OutputStream reports = new FileOutputStream(FileDescriptor.out);
		// Keeps other output out of the reports.
		System.setOut(System.err);
		new LockWorker(reports, arguments[0], Integer.parseInt(arguments[1]),
				Duration.ofMillis(Long.parseLong(arguments[2])))
			.run();
	}

	private void run() throws Exception {
		Thread reader = new Thread(this::readCommands, "commands");
		reader.setDaemon(true);
		reader.start();
		report("READY");
		while (true) {
			switch (this.commands.take()) {
				case "work" -> work();
				case "careless" -> writeCarelessly();
				case "write" -> writeAndWait();
				case "lock" -> {
					report("REQUESTING");
					this.lock.lock();
					report("HELD");
				}
				case "unlock" -> this.lock.unlock();
				case "stop" -> {
					this.client.close();
					System.exit(0);
				}
				default -> throw new IllegalArgumentException("Unknown command");
			}
		}
	}

	private void readCommands() {
		try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				this.commands.add(line);
			}
		}
		catch (IOException ex) {
			// The same as the end of the input.
		}
		// The test process has ended.
		Runtime.getRuntime().halt(1);
	}

	/** Writes a report with a single call, so that a death never truncates it. */
	private synchronized void report(String line) {
		try {
			this.reports.write((line + '\n').getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			Runtime.getRuntime().halt(1);
		}
	}

	private void work() throws InterruptedException {
		while (this.commands.isEmpty()) {
			underLock((tenure) -> {
				for (int i = this.random.nextInt(5); i >= 0; i--) {
					increment(tenure);
				}
			});
		}
	}

	private Increment increment(Tenure tenure) {
		long sequence = ++this.sequence;
		Increment[] written = { Increment.NONE };
		attempt(sequence, () -> written[0] = update(tenure, sequence));
		return written[0];
	}

	private Increment update(Tenure tenure, long sequence) {
		return Increment.parse(tenure.update(COUNTER, String.class, (value) -> {
			Increment stored = value.map(Increment::parse).orElse(Increment.NONE);
			report("SAW " + stored);
			return Optional.of(tryNext(stored, sequence, tenure).toString());
		}).orElseThrow());
	}

	private Increment tryNext(Increment stored, long sequence, Tenure tenure) {
		Version token = tenure.token().version();
		Increment next = stored.next(this.name, sequence, token);
		report("TRY " + next);
		return next;
	}

	/** Checks the lock, waits to be paused, and then writes without another check. */
	private void writeCarelessly() throws InterruptedException {
		underLock((tenure) -> {
			Increment stored = increment(tenure);
			if (tenure.isValid()) {
				long sequence = ++this.sequence;
				Increment next = tryNext(stored, sequence, tenure);
				report("CHECKED");
				awaitGo();
				attempt(sequence, () -> this.client.template.fencedBy(tenure.token()).set(COUNTER, next.toString()));
			}
		});
		report("RETURNED");
	}

	/** Writes, and waits to be killed before it reports the outcome. */
	private void writeAndWait() throws InterruptedException {
		underLock((tenure) -> {
			update(tenure, ++this.sequence);
			report("WRITTEN");
			awaitGo();
		});
		report("RETURNED");
	}

	private void underLock(Consumer<Tenure> action) throws InterruptedException {
		try {
			this.lock.execute((tenure) -> {
				tenure.onLost((loss) -> report("LOST " + loss.reason().name()));
				action.accept(tenure);
				return tenure;
			});
		}
		catch (StateStoreException ex) {
			// Reported already. The next tenure reads the stored value.
			TimeUnit.MILLISECONDS.sleep(10);
		}
	}

	private void awaitGo() {
		try {
			while (!this.commands.take().equals("go")) {
				// Ignores other commands.
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void attempt(long sequence, Runnable write) {
		try {
			write.run();
			report("DONE " + sequence);
		}
		catch (StaleFencingTokenException ex) {
			report("STALE " + sequence);
			throw ex;
		}
		catch (StateStoreOutcomeUnknownException ex) {
			report("UNKNOWN " + sequence);
			throw ex;
		}
		catch (StateStoreException ex) {
			report("NOT " + sequence);
			throw ex;
		}
	}

}
