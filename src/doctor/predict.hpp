// What a change would bring, as rates in units of today's.
#pragma once

namespace stoker::doctor {

// The producers of batches at today's rate. Units: CPUs (CPU seconds a second); a rate of 1 is today's.
struct Producers {
  double cpu = 0;       // e: of all workers together
  double main_cpu = 0;  // of the main threads, which share the CPUs
  double waits = 0;     // Z: seconds a second that all workers together wait, for storage say
  double cpus = 1;      // that workers and main threads may have
};

// L = 1 / (1 − s): the rate where nothing waits for data. Bounded: a stall share of 1 says nothing of it.
double consumer_limit(double stall_share);

// P(k) = min(k / (e + Z), cpus / (e + mcpu)).
double producer_limit(const Producers& producers, double workers);

// The rate of k workers that queue for the CPUs and wait Z each round: exact mean-value analysis of a closed
// network, several CPUs by Seidmann's split into one fast server and a delay. Never above producer_limit().
double queued_limit(const Producers& producers, int workers);

// (L⁻⁸ + P⁻⁸)^(−1/8): the plain minimum is 5 to 9 % high near balance.
double soft_minimum(double consumer, double producer);

// The smallest number of workers in today..most whose rate is within 2 % of the best there.
// `queued` counts the queueing, for workers that wait long.
int enough_workers(const Producers& producers, double consumer, int today, int most, bool queued);

}  // namespace stoker::doctor
