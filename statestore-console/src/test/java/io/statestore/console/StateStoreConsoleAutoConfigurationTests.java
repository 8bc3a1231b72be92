package io.statestore.console;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.StateStoreOperations;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.servlet.function.EntityResponse;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.util.ServletRequestPathUtils;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class StateStoreConsoleAutoConfigurationTests {

	private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(JacksonAutoConfiguration.class,
			StateStoreAutoConfiguration.class, StateStoreConsoleAutoConfiguration.class);

	private static final String[] PROPERTIES = { "statestore.start-timeout=0s", "statestore.port=1" };

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
		.withPropertyValues(PROPERTIES)
		.withConfiguration(CONFIGURATIONS);

	@Test
	void servesNothingWithoutSecurityAndExplainsFix(CapturedOutput output) {
		this.contextRunner.run((context) -> {
			assertThat(route(context, "/statestore/")).isEmpty();
			assertThat(output).contains("The console of the state store is off", "spring-boot-starter-security",
					"statestore.console.insecure=true");
		});
	}

	@Test
	void servesInsecurelyIfAsked(CapturedOutput output) {
		this.contextRunner.withPropertyValues("statestore.console.insecure=true").run((context) -> {
			assertThat(route(context, "/statestore")).isPresent();
			assertThat(route(context, "/statestore/")).isPresent();
			assertThat(route(context, "/statestore/api/keys")).isPresent();
			assertThat(route(context, "/statestore/other")).isEmpty();
			assertThat(output).doesNotContain("The console of the state store is off");
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			localhost       | -          | -        | 200
			LOCALHOST:8080  | none       | -        | 200
			127.0.0.1:8080  | -          | -        | 200
			192.168.1.7     | same-origin | cors    | 200
			[::1]:8080      | -          | -        | 200
			localhost       | cross-site | navigate | 200
			localhost       | cross-site | cors     | 403
			evil.example    | -          | -        | 403
			1.evil.example  | -          | -        | 403
			localhost.evil.example:8080 | - | -     | 403
			-               | -          | -        | 403
			""")
	void refusesOtherWebSitesIfInsecure(@Nullable String host, @Nullable String site, @Nullable String mode,
			int status) {
		this.contextRunner.withPropertyValues("statestore.console.insecure=true").run((context) -> {
			MockHttpServletRequest request = new MockHttpServletRequest("GET", "/statestore/");
			Map<String, @Nullable String> headers = new HashMap<>();
			headers.put("Host", host);
			headers.put("Sec-Fetch-Site", site);
			headers.put("Sec-Fetch-Mode", mode);
			headers.forEach((name, value) -> {
				if (value != null) {
					request.addHeader(name, value);
				}
			});
			ServerRequest asked = asked(request);
			ServerResponse response = (ServerResponse) route(context, asked).orElseThrow().handle(asked);
			assertThat(response.statusCode().value()).isEqualTo(status);
			if (status == 403 && site == null) {
				assertThat(((EntityResponse<?>) response).entity()).asString().contains("statestore.console.insecure");
			}
		});
	}

	@Test
	void usesPathFromProperty() {
		this.contextRunner
			.withPropertyValues("statestore.console.insecure=true", "statestore.console.path=/admin/store")
			.run((context) -> {
				assertThat(route(context, "/admin/store/")).isPresent();
				assertThat(route(context, "/statestore/")).isEmpty();
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "statestore", "/", "/statestore/", "/{x}", "/*" })
	void refusesInvalidPath(String path) {
		this.contextRunner.withPropertyValues("statestore.console.path=" + path)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("statestore.console.path"));
	}

	@Test
	void worksWithOtherOperations() {
		StateStoreOperations own = ProxyFactory.getProxy(StateStoreOperations.class,
				(MethodInterceptor) (invocation) -> null);
		this.contextRunner.withPropertyValues("statestore.console.insecure=true")
			.withBean("stateStoreTemplate", StateStoreOperations.class, () -> own)
			.run((context) -> assertThat(route(context, "/statestore/api/keys")).isPresent());
	}

	@Test
	void backsOffWithoutStore() {
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(StateStoreConsoleAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RouterFunction.class));
	}

	@Test
	void backsOffWithoutWebApplication() {
		new ApplicationContextRunner().withPropertyValues(PROPERTIES)
			.withConfiguration(CONFIGURATIONS)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RouterFunction.class));
	}

	@Test
	void backsOffWithoutSpringMvc() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(RouterFunctions.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RouterFunction.class));
	}

	private static Optional<HandlerFunction<?>> route(AssertableWebApplicationContext context, String path) {
		return route(context, asked(new MockHttpServletRequest("GET", path)));
	}

	@SuppressWarnings("unchecked")
	private static Optional<HandlerFunction<?>> route(AssertableWebApplicationContext context, ServerRequest request) {
		return context.getBean(RouterFunction.class).route(request);
	}

	private static ServerRequest asked(MockHttpServletRequest request) {
		ServletRequestPathUtils.parseAndCache(request);
		return ServerRequest.create(request, List.of(new JacksonJsonHttpMessageConverter()));
	}

}
