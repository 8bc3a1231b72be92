package io.statestore.dafka.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

import io.statestore.dafka.Ticker;

/**
 * Reports progress once a second. On a terminal, each report overwrites the previous
 * line; otherwise, each report is a new line.
 */
final class Progress {

	/** File descriptor of standard input. */
	static final int IN = 0;

	/** File descriptor of standard output. */
	static final int OUT = 1;

	private static final int ERR = 2;

	private static final long INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();

	private final PrintWriter err;

	private final boolean enabled;

	private final boolean terminal = isTerminal(ERR);

	private final Ticker ticker;

	private long reportedAt;

	private long reported;

	/**
	 * Creates a report. It is enabled on request, or if standard error is a terminal and
	 * the records do not use a terminal.
	 * @param requested whether the user requested the report
	 * @param records file descriptor of the stream that carries the records
	 */
	Progress(boolean requested, int records, PrintWriter err, Ticker ticker) {
		this.ticker = ticker;
		this.reportedAt = ticker.nanos();
		this.err = err;
		this.enabled = requested || (this.terminal && !isTerminal(records));
	}

	/**
	 * Reports the progress if a second has passed. Must be called repeatedly.
	 * @param records number of records so far
	 * @param behind label of the remaining records
	 * @param left number of remaining records
	 */
	void update(long records, String behind, long left) {
		long now = this.ticker.nanos();
		long nanos = now - this.reportedAt;
		if (this.enabled && nanos >= INTERVAL_NANOS) {
			double rate = (records - this.reported) * 1e9 / nanos;
			String line = String.format(Locale.ROOT, "%,d records, %,.0f/s, %s %,d", records, rate, behind, left);
			if (this.terminal) {
				this.err.print("\r" + line + "\033[K");
				this.err.flush();
			}
			else {
				this.err.println(line);
			}
			this.reportedAt = now;
			this.reported = records;
		}
	}

	/** Clears the line for other output. */
	void end() {
		if (this.enabled && this.terminal) {
			this.err.print("\r\033[K");
			this.err.flush();
		}
	}

	/** Returns whether a stream is a terminal, judging by its device if known. */
	private static boolean isTerminal(int stream) {
		Path link = Path.of("/proc/self/fd/" + stream);
		try {
			String device = Files.readSymbolicLink(link).toString();
			return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty") || device.equals("/dev/console");
		}
		catch (IOException ex) {
			return System.console() != null;
		}
	}

}
