package com.example;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Application with the components of all recipes that share a store. */
@SpringBootApplication(scanBasePackages = { "com.example.flags", "com.example.idempotent", "com.example.leader",
		"com.example.limit", "com.example.settings" })
public class RecipesApplication {

}
