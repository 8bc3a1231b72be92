package io.statestore.testing.docs;

import java.time.Duration;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostException;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.testing.TestTime;
import io.statestore.testing.boot.EmbeddedStateStore;
import io.statestore.testing.broker.StateStoreFaults;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@SpringBootTest
@EmbeddedStateStore(controlTime = true)
class PressTests {

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private StateStoreLockRegistry locks;

	@Autowired
	private StateStoreFaults faults;

	@Autowired
	private TestTime time;

	@Test
	void sessionExpires() {
		this.store.set("session", "operator", (spec) -> spec.expire(Duration.ofHours(8)));
		this.time.advance(Duration.ofHours(9));
		assertThat(this.store).doesNotHaveKey("session");
	}

	@Test
	void lockIsLostWithoutRenewal() {
		FencedLock lock = this.locks.obtain("press-1");
		lock.lock();
		this.faults.requests().ofKey("press-1").drop();
		this.time.advance(Duration.ofSeconds(31));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
	}

}
