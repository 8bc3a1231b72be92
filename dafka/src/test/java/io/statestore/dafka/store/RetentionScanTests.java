package io.statestore.dafka.store;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.PartitionKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Retention reads only partitions that have something to remove. */
class RetentionScanTests {

	private final AtomicInteger scans = new AtomicInteger();

	private final RecordLog log = new RecordLog(counting(new MemoryEngine()));

	@Test
	void readsOnlyDuePartitions() {
		fill(1_000, 100);
		this.log.retain(50, Long.MAX_VALUE);
		this.scans.set(0);
		this.log.retain(60, Long.MAX_VALUE);
		assertThat(this.scans).hasValue(0);
		this.log.retain(101, Long.MAX_VALUE);
		assertThat(this.log.bytes()).isZero();
	}

	@Test
	void readsPartitionThatBecomesDueAfterItWasEmptied() {
		fill(10, 100);
		this.log.retain(101, Long.MAX_VALUE);
		fill(10, 200);
		this.log.retain(150, Long.MAX_VALUE);
		assertThat(this.log.bytes()).isPositive();
		this.log.retain(201, Long.MAX_VALUE);
		assertThat(this.log.bytes()).isZero();
	}

	private void fill(int partitions, long millis) {
		for (int i = 0; i < partitions; i++) {
			StoredPartition partition = this.log.partition(new PartitionKey(Bytes.of("P" + i), Bytes.of("t")));
			this.log.append(partition, new byte[10]);
		}
		this.log.flush(false, millis);
	}

	private Engine counting(Engine engine) {
		return (Engine) Proxy.newProxyInstance(Engine.class.getClassLoader(), new Class<?>[] { Engine.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("scan")) {
						this.scans.incrementAndGet();
					}
					return method.invoke(engine, arguments);
				});
	}

}
