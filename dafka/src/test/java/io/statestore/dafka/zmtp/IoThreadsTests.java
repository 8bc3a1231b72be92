package io.statestore.dafka.zmtp;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.statestore.dafka.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

/** What the I/O threads of a context are doing. */
@Timeout(60)
class IoThreadsTests {

	private final IoThreads threads = new IoThreads("test", (failure) -> {
	});

	private volatile boolean ended;

	@Test
	void seesThatThreadResolvesName() throws InterruptedException {
		Thread thread = this.threads.create(this::resolve, "iothread");
		assertThat(this.threads.isResolving()).isFalse();
		thread.start();
		until("a lookup", this.threads::isResolving);
		this.ended = true;
		thread.join();
		assertThat(this.threads.isResolving()).isFalse();
	}

	@Test
	void threadThatWaitsForSomethingElseDoesNotResolve() throws InterruptedException {
		CountDownLatch released = new CountDownLatch(1);
		Thread thread = this.threads.create(() -> {
			try {
				released.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, "iothread");
		thread.start();
		until("waiting", () -> thread.getState() == Thread.State.WAITING);
		assertThat(this.threads.isResolving()).isFalse();
		released.countDown();
		thread.join();
	}

	private void resolve() {
		while (!this.ended) {
			try {
				InetAddress.getAllByName("localhost");
			}
			catch (UnknownHostException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

}
