package io.statestore.boot;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.Entry;
import io.statestore.client.KeyWatcher;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.StateStoreConnection;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.RootClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** Beans of the application in addition to, or instead of, auto-configured beans. */
class AdditionalBeansTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.embedded.enabled=true")
		.withConfiguration(
				AutoConfigurations.of(JacksonAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
						StateStoreAutoConfiguration.class, StateStoreLockAutoConfiguration.class));

	@Test
	void secondOperationsBeanCanUseTemplate() {
		this.contextRunner.withUserConfiguration(FastStore.class).withBean(OvenListener.class).run((context) -> {
			assertThat(context).hasNotFailed().hasBean("stateStoreTemplate").hasBean("fastStore");
			context.getBean("fastStore", StateStoreOperations.class).set("ovens/1", "on");
			assertThat(context.getBean("stateStoreTemplate", StateStoreTemplate.class).get("ovens/1", String.class))
				.map(Entry::value)
				.contains("on");
			assertThat(context.getBean(OvenListener.class).changes.poll(10, TimeUnit.SECONDS)).isEqualTo("on");
			assertThat(context).hasSingleBean(StateStoreAsyncOperations.class);
		});
	}

	@Test
	void secondTemplateKeepsAutoConfiguredTemplate() {
		this.contextRunner
			.withBean("plainTemplate", StateStoreTemplate.class, () -> new StateStoreTemplate((command, options) -> {
				throw new UnsupportedOperationException();
			}))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				StateStoreTemplate ours = context.getBean("stateStoreTemplate", StateStoreTemplate.class);
				ours.set("ovens/1", "on");
				assertThat(ours.get("ovens/1", String.class)).map(Entry::value).contains("on");
			});
	}

	@Test
	void secondClientResourcesKeepAutoConfiguredResources() {
		this.contextRunner.withBean("plantResources", ClientResources.class, () -> new ClientResources())
			.run((context) -> assertThat(context).hasNotFailed()
				.hasBean("stateStoreClientResources")
				.hasSingleBean(StateStoreLockRegistry.class));
	}

	@Test
	void backsOffForClientResourcesWithSameName() {
		ClientResources own = new ClientResources();
		this.contextRunner.withBean("stateStoreClientResources", ClientResources.class, () -> own)
			.run((context) -> assertThat(context).getBean(ClientResources.class).isSameAs(own));
	}

	@Test
	void backsOffForTemplateWithSameName() {
		this.contextRunner.withUserConfiguration(OwnTemplate.class).withBean(OvenListener.class).run((context) -> {
			assertThat(context).hasSingleBean(StateStoreOperations.class);
			StateStoreOperations own = context.getBean(StateStoreOperations.class);
			own.set("ovens/1", "on");
			assertThat(context.getBean(OvenListener.class).changes.poll(10, TimeUnit.SECONDS)).isEqualTo("on");
			assertThat(context).hasSingleBean(StateStoreLockRegistry.class);
		});
	}

	@Test
	void adviceAppliesToTemplate() {
		this.contextRunner.withUserConfiguration(Advice.class).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(StateStoreOperations.class).set("ovens/1", "on");
			assertThat(context.getBean(Advice.class).calls).containsExactly("set");
			assertThat(context).hasSingleBean(StateStoreTemplate.class);
		});
	}

	@Test
	void customizersChangeConnectionOptions() {
		this.contextRunner
			.withBean(ConnectionOptionsBuilderCustomizer.class,
					() -> (builder) -> builder.clientId("press-1").requestTimeout(Duration.ofSeconds(7)))
			.run((context) -> {
				StateStoreConnection connection = context.getBean(StateStoreConnection.class);
				assertThat(connection.getClientId()).isEqualTo("press-1");
				assertThat(connection.options().requestTimeout()).hasSeconds(7);
			});
	}

	static class OvenListener {

		final BlockingQueue<String> changes = new LinkedBlockingQueue<>();

		@StateStoreListener(keys = "ovens/1")
		void changed(String state) {
			this.changes.add(state);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FastStore {

		@Bean
		StateStoreOperations fastStore(StateStoreTemplate template) {
			return template.withTimeout(Duration.ofSeconds(5));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTemplate {

		@Bean
		StateStoreTemplate stateStoreTemplate(CommandInvoker invoker, KeyWatcher watcher) {
			return new StateStoreTemplate(invoker, null, watcher);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Advice {

		final List<String> calls = new ArrayList<>();

		@Bean
		static DefaultAdvisorAutoProxyCreator proxyCreator() {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setProxyTargetClass(true);
			return creator;
		}

		@Bean
		DefaultPointcutAdvisor advisor() {
			StaticMethodMatcherPointcut pointcut = new StaticMethodMatcherPointcut() {

				@Override
				public boolean matches(Method method, Class<?> targetClass) {
					return method.getName().equals("set");
				}

			};
			pointcut.setClassFilter(new RootClassFilter(StateStoreOperations.class));
			return new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) (invocation) -> {
				this.calls.add(invocation.getMethod().getName());
				return invocation.proceed();
			});
		}

	}

}
