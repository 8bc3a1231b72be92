package com.example.queue;

@FunctionalInterface
interface Job {

	String perform(String task);

}
