package io.statestore.dafka.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ProgressTests {

	private final AtomicLong now = new AtomicLong();

	private final StringWriter err = new StringWriter();

	@Test
	void reportsProgressAndRateEverySecond() {
		Progress progress = progress();
		progress.update(500, "lag", 9_500);
		assertThat(this.err.toString()).isEmpty();
		pass(Duration.ofSeconds(2));
		progress.update(5_000, "lag", 5_000);
		progress.update(5_001, "lag", 4_999);
		pass(Duration.ofSeconds(1));
		progress.update(10_000, "lag", 0);
		progress.end();
		assertThat(this.err.toString()).contains("5,000 records, 2,500/s, lag 5,000")
			.contains("10,000 records, 5,000/s, lag 0")
			.doesNotContain("5,001");
	}

	private Progress progress() {
		return new Progress(true, Progress.OUT, new PrintWriter(this.err, true), this.now::get);
	}

	private void pass(Duration time) {
		this.now.addAndGet(time.toNanos());
	}

}
