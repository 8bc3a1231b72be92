package io.statestore.history;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.dafka.store.storage.Engine;
import io.statestore.dafka.store.storage.RocksEngine;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** A journal whose disk does not respond. */
@Tag("long")
@Timeout(120)
@Tag("nightly")
class HungDiskTests {

	@TempDir
	Path directory;

	private final CountDownLatch held = new CountDownLatch(1);

	private volatile @Nullable CountDownLatch hold;

	@AfterEach
	void release() {
		CountDownLatch hold = this.hold;
		this.hold = null;
		if (hold != null) {
			hold.countDown();
		}
	}

	/** Returns RocksDB whose writes wait on demand. */
	private Engine engine() {
		Engine engine = RocksEngine.open(this.directory);
		return (Engine) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Engine.class },
				(proxy, method, arguments) -> {
					CountDownLatch hold = this.hold;
					if (hold != null && method.getName().equals("write")) {
						this.held.countDown();
						hold.await();
					}
					try {
						return method.invoke(engine, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@Test
	void closesWithoutWaitingForDisk() throws Exception {
		HistoryJournal journal = HistoryJournal.builder(this.directory).start(this::engine);
		StateStoreBroker broker = StateStoreBroker.builder().journal(journal).start();
		try (Client client = new Client(broker.port(), "oven")) {
			this.hold = new CountDownLatch(1);
			client.template.set(Key.of(Bytes.of("k")), Bytes.of("v"));
			assertThat(this.held.await(10, TimeUnit.SECONDS)).isTrue();
		}
		long start = System.nanoTime();
		broker.close();
		journal.close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(40));
		assertThatExceptionOfType(HistoryException.class).isThrownBy(journal::last)
			.withMessageContaining("The disk of the history has not responded for 10 s");
		release();
		await("the end of the write").ignoreExceptions().until(() -> {
			try (HistoryJournal again = HistoryJournal.builder(this.directory).start()) {
				return again.size() == 2;
			}
		});
	}

}
