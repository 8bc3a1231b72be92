package io.statestore.console;

import java.util.Optional;

import io.statestore.boot.StateStoreAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
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
	void servesNothingWithoutSecurityAndSaysWhatToDo(CapturedOutput output) {
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

	@Test
	void hasPathOfProperty() {
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

	@SuppressWarnings("unchecked")
	private static Optional<HandlerFunction<?>> route(AssertableWebApplicationContext context, String path) {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
		ServletRequestPathUtils.parseAndCache(request);
		return context.getBean(RouterFunction.class)
			.route(ServerRequest.create(request, java.util.List.of(new JacksonJsonHttpMessageConverter())));
	}

}
