package io.statestore.testing.boot;

import java.util.Optional;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

@SpringBootTest
@EmbeddedStateStore
class MockedOperationsTests {

	@MockitoBean
	private StateStoreOperations store;

	@Autowired
	private StateStoreLockRegistry locks;

	@Test
	void mocksOperationsBesideRealLocks() throws InterruptedException {
		given(this.store.getValue("press", String.class)).willReturn(Optional.of("180"));
		assertThat(this.store.getValue("press", String.class)).contains("180");
		var lock = this.locks.obtain("press");
		lock.execute((tenure) -> assertThat(lock).isHeldHere());
		assertThat(lock).isFree();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
