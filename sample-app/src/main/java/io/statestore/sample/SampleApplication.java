package io.statestore.sample;

import java.nio.file.Path;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Sample application with an embedded broker; see {@code application.yml}. */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
public class SampleApplication {

	private static final Logger logger = LoggerFactory.getLogger(SampleApplication.class);

	public static void main(String[] args) {
		create().run(args);
	}

	/** Returns the application, which logs the directory of its data first. */
	static SpringApplication create() {
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.addInitializers(SampleApplication::logDirectory);
		return application;
	}

	private static void logDirectory(ApplicationContext context) {
		Environment environment = context.getEnvironment();
		String directory = environment.getProperty("statestore.embedded.directory");
		if (environment.getProperty("statestore.embedded.enabled", Boolean.class, false) && directory != null) {
			logger.info("The data is in {} and survives a restart. Delete the directory to start over",
					Path.of(directory).toAbsolutePath().normalize());
		}
	}

}
