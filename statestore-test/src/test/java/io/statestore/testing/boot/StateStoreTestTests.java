package io.statestore.testing.boot;

import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.testing.assertj.ChangeRecorder;
import io.statestore.testing.broker.StateStoreFaults;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

@StateStoreTest(properties = "spring.application.name=slice")
class StateStoreTestTests {

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private ApplicationContext context;

	@Autowired
	private SetPointListener listener;

	@Test
	void convertsValuesAndCallsListeners() {
		this.store.set("setpoint", new SetPoint(180));
		assertThat(this.listener.changes).receives(new SetPoint(180));
		assertThat(this.store).hasKey("setpoint").hasValue(new SetPoint(180));
	}

	@Test
	void containsNoOtherComponents() {
		assertThat(this.context.getBeansOfType(UnrelatedService.class)).isEmpty();
		assertThat(this.context.getBeansOfType(StateStoreFaults.class)).hasSize(1);
		assertThat(this.context.containsBean("embeddedStateStoreHealthIndicator")).isFalse();
	}

	@Test
	void appliesProperties() {
		assertThat(this.context.getEnvironment().getProperty("spring.application.name")).isEqualTo("slice");
	}

	record SetPoint(int degrees) {
	}

	@SpringBootApplication
	static class Application {

	}

	@Component
	static class SetPointListener {

		private final ChangeRecorder<SetPoint> changes = new ChangeRecorder<>();

		@StateStoreListener(keys = "setpoint")
		void changed(KeyChange<SetPoint> change) {
			this.changes.onChange(change);
		}

	}

	@Service
	static class UnrelatedService {

		@Scheduled(fixedRate = 1)
		void run() {
		}

	}

}
