package io.statestore.client;

import java.util.ArrayList;
import java.util.List;

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;

import static org.assertj.core.api.Assertions.assertThat;

class StateStoreTemplateProxyTests {

	private final List<String> intercepted = new ArrayList<>();

	@Test
	void interceptsCallsThroughClassProxy() {
		ProxyFactory factory = new ProxyFactory(new StateStoreTemplate(new InMemoryStateStore()));
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) (invocation) -> {
			this.intercepted.add(invocation.getMethod().getName());
			return invocation.proceed();
		});
		StateStoreTemplate proxy = (StateStoreTemplate) factory.getProxy();
		assertThat(AopUtils.isCglibProxy(proxy)).isTrue();
		proxy.set("key", "value");
		assertThat(proxy.getValue("key", String.class)).contains("value");
		assertThat(proxy.getAll(List.of("key"), String.class)).containsOnlyKeys("key");
		assertThat(proxy.withInvoker((invoker) -> invoker).exists("key")).isTrue();
		assertThat(proxy.async().exists("key").join()).isTrue();
		assertThat(this.intercepted).containsExactly("set", "getValue", "getAll", "withInvoker", "async");
	}

}
