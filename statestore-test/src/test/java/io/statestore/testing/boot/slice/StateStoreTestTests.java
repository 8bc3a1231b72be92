package io.statestore.testing.boot.slice;

import io.statestore.client.StateStoreOperations;
import io.statestore.testing.TestTime;
import io.statestore.testing.boot.StateStoreTest;
import io.statestore.testing.boot.slice.SetpointListener.Setpoint;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.context.MessageSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.context.ApplicationContext;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

@StateStoreTest(properties = "spring.application.name=slice", controlTime = true)
class StateStoreTestTests {

	@Autowired
	private StateStoreOperations store;

	@Autowired
	private ApplicationContext context;

	@Autowired
	private SetpointListener listener;

	@Test
	void convertsValuesAndCallsListeners() {
		this.store.set("setpoint", new Setpoint(180));
		assertThat(this.listener.changes).receives(new Setpoint(180));
		assertThat(this.store).hasKey("setpoint").hasValue(new Setpoint(180));
	}

	@Test
	void containsNeitherOtherComponentsNorAutoConfigurations() {
		assertThat(this.context.getBeansOfType(SliceApplication.class)).hasSize(1);
		assertThat(this.context.getBeansOfType(UnrelatedService.class)).isEmpty();
		assertThat(this.context.getBeansOfType(TaskSchedulingAutoConfiguration.class)).isEmpty();
		assertThat(this.context.getBeansOfType(MessageSourceAutoConfiguration.class)).isEmpty();
	}

	@Test
	void containsComponentsWithRepeatedAndInheritedAnnotations() {
		assertThat(this.context.getBeansOfType(RepeatedListener.class)).hasSize(1);
		assertThat(this.context.getBeansOfType(InheritedListener.class)).hasSize(1);
	}

	@Test
	void appliesAttributes() {
		assertThat(this.context.getEnvironment().getProperty("spring.application.name")).isEqualTo("slice");
		assertThat(this.context.getBeansOfType(TestTime.class)).hasSize(1);
	}

}
