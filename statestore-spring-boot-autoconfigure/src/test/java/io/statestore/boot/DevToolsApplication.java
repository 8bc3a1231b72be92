package io.statestore.boot;

import io.statestore.client.Entry;
import io.statestore.client.StateStoreOperations;

import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Application that counts its starts in the embedded store. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class DevToolsApplication {

	public static void main(String[] args) {
		SpringApplication.run(DevToolsApplication.class, args);
	}

	@Bean
	CommandLineRunner count(StateStoreOperations store) {
		return (arguments) -> {
			int starts = store.get("starts", Integer.class).map(Entry::value).orElse(0) + 1;
			store.set("starts", starts);
			System.out.println("Start " + starts + " with " + getClass().getClassLoader().getClass().getSimpleName());
		};
	}

}
